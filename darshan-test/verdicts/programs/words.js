// Lines in Node: words.js CASE [cured].
const fs = require('fs')
const [which, cured] = process.argv.slice(2)

if (which === 'lines-out') {
  const file = fs.openSync('log', 'w')
  const lines = Array.from({length: 6000}, (_, i) => `line ${i}\n`)
  if (cured) fs.writeSync(file, lines.join(''))
  else lines.forEach(line => fs.writeSync(file, line))
  fs.closeSync(file)
} else if (which === 'routes-each') {
  const routes = Array.from({length: 2000}, (_, i) => ({path: `/p/${i}`, target: `t${i}`}))
  fs.writeFileSync('routes.json', JSON.stringify({routes}))
  const read = () => JSON.parse(fs.readFileSync('routes.json', 'utf8'))
  const known = cured && read()
  for (let i = 0; i < 400; i++) {
    if ((known || read()).routes[i].target !== `t${i}`) process.exit(1)
  }
} else {
  const file = fs.openSync('input', 'r')
  const piece = Buffer.alloc(cured ? 1 << 20 : 16)
  let moved = 0
  while (moved < 100000) moved += fs.readSync(file, piece)
  fs.closeSync(file)
}
