//! A headless Chromium, driven through chromedriver by the protocol WebDriver.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value as Json, json};

/// The faults in the looks of the page that is open: the body of a function of JavaScript that returns a list of
/// sentences.
pub const LOOK: &str = include_str!("look.js");

/// A browser with one window. It ends with the value.
#[derive(Debug)]
pub struct Browser {
    driver: Child,
    session: String,
    folder: tempfile::TempDir,
}

/// The path of a program among the folders of PATH.
fn program(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}

impl Browser {
    /// Starts that at `ROWKEY_CHROMIUM`, or one of PATH. None, with a word about it, if there is none and the variable
    /// is not set.
    pub fn start() -> Option<Self> {
        let named = std::env::var_os("ROWKEY_CHROMIUM").filter(|path| !path.is_empty()).map(PathBuf::from);
        let is_needed = named.is_some();
        let browser = named.or_else(|| program("chromium")).or_else(|| program("google-chrome"));
        let (Some(browser), Some(driver)) = (browser, program("chromedriver")) else {
            assert!(!is_needed, "ROWKEY_CHROMIUM is set, and PATH has no chromedriver");
            eprintln!("not tested: PATH has no chromium or no chromedriver");
            return None;
        };
        let mut driver = Command::new(driver)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let mut lines = BufReader::new(driver.stdout.take().expect("its output")).lines();
        let port = lines.find_map(|line| {
            let line = line.expect("chromedriver says its port");
            Some(line.split_once("successfully on port ")?.1.trim_end_matches('.').to_owned())
        });
        // What it says later has to go somewhere.
        std::thread::spawn(move || lines.for_each(drop));
        let driver_url = format!("http://127.0.0.1:{}/session", port.expect("chromedriver says its port"));
        let mut started = Self { driver, session: driver_url, folder: tempfile::tempdir().expect("a folder") };
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--window-size=1280,900",
        ];
        let answer = started.post(
            "",
            &json!({"capabilities": {"alwaysMatch": {
                "goog:chromeOptions": {"binary": browser, "args": arguments},
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            }}}),
        );
        started.session += &format!("/{}", answer["sessionId"].as_str().expect("a session"));
        // Without it a page has the focus only now and then, as its window has.
        started.command("Emulation.setFocusEmulationEnabled", &json!({"enabled": true}));
        Some(started)
    }

    fn post(&self, path: &str, body: &Json) -> Json {
        let url = format!("{}{path}", self.session);
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().new_agent();
        let mut answer = agent.post(&url).send_json(body).expect("chromedriver answers");
        let json: Json = answer.body_mut().with_config().limit(64 << 20).read_json().expect("JSON");
        assert!(answer.status().is_success(), "{path}: {}", json["value"]);
        json["value"].clone()
    }

    /// A command of Chromium's own protocol.
    pub fn command(&self, name: &str, parameters: &Json) -> Json {
        self.post("/goog/cdp/execute", &json!({"cmd": name, "params": parameters}))
    }

    /// Opens a page of this text, in a window of this size: `light`, `dark` or `print`.
    pub fn open(&self, page: &str, (width, height): (u32, u32), scheme: &str) {
        let path = self.folder.path().join("page.html");
        fs::write(&path, page).expect("a page");
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.command("Emulation.setDeviceMetricsOverride", &size);
        let media = if scheme == "print" { "print" } else { "" };
        let features =
            json!([{"name": "prefers-color-scheme", "value": if media.is_empty() { scheme } else { "light" }}]);
        self.command("Emulation.setEmulatedMedia", &json!({"media": media, "features": features}));
        self.log("browser");
        self.log("performance");
        self.post("/url", &json!({"url": format!("file://{}", path.display())}));
    }

    /// The value of a function of JavaScript, given as its body.
    pub fn run(&self, body: &str) -> Json {
        self.post("/execute/sync", &json!({"script": body, "args": []}))
    }

    /// Presses keys, one after the other: characters, or those beyond `\u{e000}` that WebDriver has for others.
    pub fn press(&self, keys: &str) {
        let actions: Vec<Json> = keys
            .chars()
            .flat_map(|key| ["keyDown", "keyUp"].map(|what| json!({"type": what, "value": key.to_string()})))
            .collect();
        self.post("/actions", &json!({"actions": [{"type": "key", "id": "keys", "actions": actions}]}));
    }

    /// Moves the pointer to a place of the window.
    pub fn point(&self, x: f64, y: f64) {
        let moved = json!({"type": "pointerMove", "x": x as i64, "y": y as i64, "duration": 0});
        let pointer = json!({"type": "pointer", "id": "mouse", "actions": [moved]});
        self.post("/actions", &json!({"actions": [pointer]}));
    }

    /// The entries of a log since it was last asked.
    fn log(&self, name: &str) -> Vec<Json> {
        let entries = self.post("/se/log", &json!({"type": name}));
        entries.as_array().expect("entries").clone()
    }

    /// The page as told to those who do not see it: the role and the name of each thing that they can go to, or that
    /// stands for a picture or a part of the page.
    pub fn named(&self) -> Vec<(String, String)> {
        const NAMED: [&str; 8] =
            ["radio", "image", "img", "application", "region", "DisclosureTriangle", "table", "heading"];
        self.command("Accessibility.enable", &json!({}));
        let tree = self.command("Accessibility.getFullAXTree", &json!({}));
        let text = |value: &Json| value["value"].as_str().unwrap_or_default().to_owned();
        let nodes = tree["nodes"].as_array().expect("nodes").iter().filter(|node| node["ignored"] != true);
        let is_focusable = |node: &Json| {
            let properties = node["properties"].as_array().into_iter().flatten();
            properties
                .filter(|property| property["name"] == "focusable")
                .any(|property| property["value"]["value"] == true)
        };
        let found = nodes.filter(|node| NAMED.contains(&text(&node["role"]).as_str()) || is_focusable(node));
        found.map(|node| (text(&node["role"]), text(&node["name"]))).filter(|(role, _)| role != "RootWebArea").collect()
    }

    /// The errors that the console told since the page was opened.
    pub fn errors(&self) -> Vec<String> {
        self.log("browser").iter().map(|entry| entry["message"].to_string()).collect()
    }

    /// The addresses that were asked for since the page was opened.
    pub fn requests(&self) -> Vec<String> {
        let event = |entry: &Json| serde_json::from_str::<Json>(entry["message"].as_str()?).ok();
        let events = self.log("performance").iter().filter_map(event).collect::<Vec<_>>();
        let requests = events.iter().filter(|event| event["message"]["method"] == "Network.requestWillBeSent");
        requests.filter_map(|event| Some(event["message"]["params"]["request"]["url"].as_str()?.to_owned())).collect()
    }

    /// A picture of the whole page, where `ROWKEY_SCREENSHOTS` names a folder.
    pub fn screenshot(&self, name: &str) {
        let Some(folder) = std::env::var_os("ROWKEY_SCREENSHOTS") else { return };
        let parameters = json!({"format": "png", "captureBeyondViewport": true});
        let answer = self.command("Page.captureScreenshot", &parameters);
        let png = data_encoding::BASE64.decode(answer["data"].as_str().expect("a picture").as_bytes()).expect("base64");
        fs::write(Path::new(&folder).join(name).with_extension("png"), png).expect("a file");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It ends the browser too.
        let agent = ureq::Agent::new_with_defaults();
        let _ = agent.delete(&self.session).call().map(|mut answer| answer.body_mut().as_reader().read(&mut [0; 64]));
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
