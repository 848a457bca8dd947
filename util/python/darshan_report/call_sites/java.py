"""Classes of Java and of other languages of the Java machine: decides which belong to libraries,
and formats the names of their methods as programs write them."""

from __future__ import annotations

import re

# Source files have the path of their package: "com/acme/Writer.java"; an absolute one if a file was
# there. The path of a class that does not name its file ends with ".class".
_SOURCE = re.compile(r".+\.(?:java|class|kts?|scala|groovy|cljc?)")
# Packages of the JDK, of other languages' own classes, and of well-known libraries.
_PACKAGES = (
    "java/", "javax/", "jakarta/", "jdk/", "sun/", "com/sun/", "com/oracle/", "netscape/",
    "org/graalvm/", "org/ietf/", "org/w3c/", "org/xml/", "org/openjdk/",
    "kotlin/", "kotlinx/", "scala/", "groovy/", "org/codehaus/", "clojure/", "akka/",
    "org/apache/", "org/eclipse/", "org/gradle/", "org/hibernate/", "org/jetbrains/", "org/junit/",
    "org/slf4j/", "org/springframework/", "org/sqlite/", "org/xerial/", "org/yaml/", "junit/",
    "ch/qos/logback/", "com/esotericsoftware/", "com/fasterxml/", "com/github/luben/",
    "com/google/", "com/ibm/", "com/squareup/", "htsjdk/", "io/grpc/", "io/netty/", "okio/",
    "reactor/", "ucar/",
)  # fmt: skip
_CONSTRUCTOR = re.compile(r"(.*)\.<init>")
_LAMBDA = re.compile(r"lambda\$(\w+)\$\d+")


def is_source(path: str) -> bool:
    """Returns whether the path in a frame is that of the source file of a Java class."""
    return bool(_SOURCE.fullmatch(path))


def is_library(path: str) -> bool:
    """Returns whether a source file of a class belongs to the JDK or to a well-known library."""
    return path.startswith(_PACKAGES) and is_source(path)


def plain(function: str) -> str:
    """Returns the name of a method as programs write it: "new Writer" for a constructor,
    "Writer.main.lambda" for a lambda, "Writer.static" for what initializes the class; other names
    unchanged."""
    if found := _CONSTRUCTOR.fullmatch(function):
        return f"new {found[1]}"
    function = function.replace(".<clinit>", ".static")
    return _LAMBDA.sub(r"\1.lambda", function)
