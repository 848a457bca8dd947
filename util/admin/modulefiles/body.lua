-- This part is the same in every installation; the values above are those of this one.
help(about)
whatis(summary)
conflict("darshan", "darshan-runtime", "darshan-util")

prepend_path("PATH", bin)
-- Only extends MANPATH: if it is not set, man searches next to the folders of PATH.
if ((os.getenv("MANPATH") or "") ~= "") then prepend_path("MANPATH", manual) end
-- Appends, because a sanitizer must stay first.
if (preload ~= "") then append_path("LD_PRELOAD", preload) end
-- Unloading the module restores earlier values.
if (nonmpi ~= "") then pushenv("DARSHAN_ENABLE_NONMPI", nonmpi) end
if (logs ~= "") then pushenv("DARSHAN_LOGPATH", logs) end
if (config ~= "") then pushenv("DARSHAN_CONFIG_PATH", config) end
