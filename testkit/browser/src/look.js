// What is wrong with the page that is open, as a list of sentences.
const wrong = [];
const seen = (element) => element.checkVisibility() && element.getClientRects().length > 0;
const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
const box = (element) => element.getBoundingClientRect();
const short = (element) => `<${element.tagName.toLowerCase()} ${element.className}> ${element.textContent.trim().slice(0, 40)}`;

const root = document.documentElement;
if (root.scrollWidth > root.clientWidth) wrong.push(`the page is ${root.scrollWidth} px wide, the window ${root.clientWidth}`);

// Labels of rows, of times, and of colours: there, in the window, apart.
const groups = [...all(".labels"), ...all(".times"), ...all(".legend ul"), ...all(".controls")];
for (const group of groups) {
  const labels = [...group.querySelectorAll("span, li, label, legend, text")].filter((label) => seen(label) && label.textContent.trim() !== "" && !label.closest("li:not(:scope)")?.contains(label.parentElement));
  if (labels.length === 0) wrong.push(`${short(group)} has no labels`);
  for (const [i, a] of labels.entries()) {
    const one = box(a);
    if (one.left < -1 || one.right > innerWidth + 1) wrong.push(`${short(a)} is outside`);
    for (const b of labels.slice(i + 1)) {
      if (a.contains(b)) continue;
      const other = box(b);
      const apart = one.right <= other.left + .5 || other.right <= one.left + .5 || one.bottom <= other.top + .5 || other.bottom <= one.top + .5;
      if (!apart) wrong.push(`${short(a)} is over ${short(b)}`);
    }
  }
}

// Designs beside each other where there is room for two, else one below the other: at one height, or at one side.
const designs = all("article").map(box);
const beside = matchMedia("(min-width: 70rem)").matches;
if (document.querySelector(".designs")) {
  for (const [one, other] of designs.slice(1, 2).map((other) => [designs[0], other])) {
    const is = beside ? one.top === other.top && one.right < other.left : one.left === other.left && one.bottom <= other.top;
    if (!is) wrong.push(`two designs are not ${beside ? "beside" : "below"} each other`);
  }
}

// Text blocks one over the other.
const blocks = all("h1, h2, h3, main p, details, .map, fieldset, .legend, .facts, .strip svg, .key").filter((block) => block.tagName !== "P" || block.textContent.trim() !== "");
for (const [i, a] of blocks.entries()) {
  for (const b of blocks.slice(i + 1)) {
    if (a.contains(b) || b.contains(a)) continue;
    const [one, other] = [box(a), box(b)];
    if (one.right > other.left + 1 && other.right > one.left + 1 && one.bottom > other.top + 1 && other.bottom > one.top + 1) wrong.push(`${short(a)} is over ${short(b)}`);
  }
}

// Contrast of text with what is behind it.
const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
const luminance = (colour) => {
  const [r, g, b] = channels(colour).slice(0, 3).map((channel) => (channel /= 255) <= .04045 ? channel / 12.92 : ((channel + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b;
};
const behind = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if ((channels(colour)[3] ?? 1) === 1) return colour;
  }
  return getComputedStyle(root).colorScheme.includes("dark") && matchMedia("(prefers-color-scheme: dark)").matches ? "rgb(18, 18, 18)" : "rgb(255, 255, 255)";
};
let texts = 0;
for (const element of all("body *")) {
  const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
  if (!own || element.closest("script, style")) continue;
  texts += 1;
  const style = getComputedStyle(element);
  const inSvg = element instanceof SVGElement;
  const [light, dark] = [luminance(inSvg ? style.fill : style.color), luminance(inSvg && element.dataset.on ? element.dataset.on : behind(element))].sort((a, b) => b - a);
  const contrast = (light + .05) / (dark + .05);
  if (contrast < 4.5) wrong.push(`${short(element)} has a contrast of ${contrast.toFixed(2)}`);
  if (Number.parseFloat(style.fontSize) < 12) wrong.push(`${short(element)} is ${style.fontSize} high`);
}
if (texts < 10) wrong.push(`${texts} texts`);

// Colours: each is in the legend, and no two of it are one.
const colours = all(".legend .swatch rect").map((swatch) => getComputedStyle(swatch).fill);
const twice = colours.filter((colour, at) => colours.indexOf(colour) < at);
if (twice.length > 0) wrong.push(`the legend has ${twice} twice`);
const others = all(".marks path").map((mark) => getComputedStyle(mark).fill);
for (const path of all(".cells path[class^=c], .places rect, .ranges .range")) {
  const colour = getComputedStyle(path).fill;
  if (![...colours, ...others].includes(colour)) wrong.push(`${path.getAttribute("class")} is not in the legend`);
}

// Nothing that hostile text made.
if (document.querySelector(".made")) wrong.push("text made an element");
if (window.made !== undefined) wrong.push("text ran");
for (const element of document.querySelectorAll("*")) {
  for (const { name } of element.attributes) if (name.startsWith("on")) wrong.push(`${short(element)} has ${name}`);
}
return wrong;
