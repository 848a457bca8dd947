// Lines in Node: words.js CASE [cured].
const fs = require('fs')
const [which, cured] = process.argv.slice(2)

if (which === 'lines-out') {
  const file = fs.openSync('log', 'w')
  const lines = Array.from({length: 6000}, (_, i) => `line ${i}\n`)
  if (cured) fs.writeSync(file, lines.join(''))
  else lines.forEach(line => fs.writeSync(file, line))
  fs.closeSync(file)
} else {
  const file = fs.openSync('input', 'r')
  const piece = Buffer.alloc(cured ? 1 << 20 : 16)
  let moved = 0
  while (moved < 100000) moved += fs.readSync(file, piece)
  fs.closeSync(file)
}
