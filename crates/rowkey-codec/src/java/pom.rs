//! The project's file for Maven.

use super::Package;

/// The version of the packages: that of the format.
pub(super) const VERSION: &str = "1.0.0";

/// The file `pom.xml`.
pub(super) fn text(Package { name }: &Package) -> String {
    let (group, artifact) = name.rsplit_once('.').unwrap_or((name, name));
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>{group}</groupId>
  <artifactId>{artifact}</artifactId>
  <version>{VERSION}</version>
  <name>{name}</name>
  <description>Row keys in version 1 of rowkey's format</description>
  <licenses>
    <license>
      <name>MIT OR Apache-2.0</name>
      <distribution>repo</distribution>
    </license>
  </licenses>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
    <project.build.outputTimestamp>1</project.build.outputTimestamp>
  </properties>
  <build>
    <plugins>
      <plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-compiler-plugin</artifactId>
        <version>3.13.0</version>
        <configuration>
          <compilerArgs>
            <arg>-Xlint:all</arg>
            <arg>-Werror</arg>
          </compilerArgs>
        </configuration>
      </plugin>
    </plugins>
  </build>
</project>
"#
    )
}
