// Columns of numbers: base64 to typed arrays.  columns.py, in the folder above, encodes them.

const ARRAYS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array };

function column(packed) {
  const [kind, text] = [packed.slice(0, 2), packed.slice(3)];
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new ARRAYS[kind](bytes.buffer);
}

// Replaces all strings with these names in an object by arrays, which frees the strings.
function unpack(object, names) {
  for (const name of names) {
    if (typeof object[name] === "string") object[name] = column(object[name]);
  }
  return object;
}

// Returns the first index whose value is not less than `wanted`.
function lowerBound(values, wanted, from, to) {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
