// Formats numbers with their units, by the same rules as units.py, which a test compares.

const STEPS = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

function grouped(value, digits) {
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function threeDigits(value) {
  const size = Math.abs(value);
  if (size >= 100 || value === 0) return grouped(value, 0);
  return value.toFixed(size >= 10 ? 1 : 2);
}

function amount(value) {
  if (value === null || value === undefined || value < 0) return "unknown";
  if (value < 1024) return `${value.toFixed(0)} B`;
  let scaled = value;
  for (const step of STEPS) {
    scaled /= 1024;
    // 1023.9 would round up to "1,024", which is a value of the next unit.
    if (scaled < 999.5 || step === "EiB") return `${threeDigits(scaled)} ${step}`;
  }
  return "";
}

function seconds(value) {
  if (value === null || value === undefined || !Number.isFinite(value) || value < 0) return "unknown";
  if (value >= 0.9995 || value === 0) return `${threeDigits(value)} s`;
  if (value >= 0.0009995) return `${threeDigits(value * 1e3)} ms`;
  return value >= 5e-7 ? `${(value * 1e6).toFixed(0)} \u00b5s` : "< 1 \u00b5s";
}

function timeSpent(value) {
  return value >= 35999.5 && Number.isFinite(value) ? `${threeDigits(value / 3600)} h` : seconds(value);
}

function count(value) {
  return value === null || value === undefined ? "all" : grouped(value, 0);
}

function share(part, whole) {
  if (!whole || !Number.isFinite(part / whole)) return "-";
  const percent = (100 * part) / whole;
  if (percent > 0 && percent < 0.1) return "< 0.1 %";
  return percent < 99.95 ? `${percent.toFixed(1)} %` : `${percent.toFixed(0)} %`;
}

// Formats a point in time with as many digits as two points need that are `step` apart.
function moment(value, step) {
  let digits = Math.max(0, Math.ceil(-Math.log10(step || 1)));
  const exact = step * 10 ** digits;
  if (Math.abs(exact - Math.round(exact)) > 0.01) digits += 1; // for example a step of 2.5
  return `${value.toFixed(Math.min(9, digits))} s`;
}
