# Lines in R: words.R CASE [cured].
words <- commandArgs(trailingOnly = TRUE)
which <- words[1]
cured <- length(words) > 1
lines <- sprintf("line %d", 0:29999)

if (which == "append-each") {
    if (cured) {
        out <- file("log", "w")
        writeLines(lines, out)
        close(out)
    } else {
        for (line in lines) cat(line, "\n", sep = "", file = "log", append = TRUE)
    }
} else { # table-once
    write.csv(data.frame(line = lines, value = sqrt(0:29999)), "table.csv", row.names = FALSE)
    stopifnot(nrow(read.csv("table.csv")) == 30000)
}
