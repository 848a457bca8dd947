-- What follows is the same for every installation; the values above are its own.
help(about)
whatis(summary)
conflict("darshan", "darshan-runtime", "darshan-util")

prepend_path("PATH", bin)
-- Where it is not set man looks beside the folders of PATH, and would look nowhere else.
if ((os.getenv("MANPATH") or "") ~= "") then prepend_path("MANPATH", manual) end
-- Last, so that what has to be first (a sanitizer) stays first.
if (preload ~= "") then append_path("LD_PRELOAD", preload) end
-- A value that was there before comes back.
if (nonmpi ~= "") then pushenv("DARSHAN_ENABLE_NONMPI", nonmpi) end
if (logs ~= "") then pushenv("DARSHAN_LOGPATH", logs) end
if (config ~= "") then pushenv("DARSHAN_CONFIG_PATH", config) end
