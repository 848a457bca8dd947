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
} else if (which === 'templates-each') {
  fs.writeFileSync('head.html', '<p>Dear {{name}},</p>\n'.repeat(8))
  const read = () => fs.readFileSync('head.html', 'utf8')
  const known = cured && read()
  let length = 0
  for (let i = 0; i < 20000; i++) length += (known || read()).length + i
  if (length === 0) process.exit(1)
} else if (which === 'awaited-each') {
  for (let i = 0; i < 3; i++) fs.writeFileSync(`part${i}.html`, `<p>${i}</p>\n`.repeat(20))
  const read = i => fs.promises.readFile(`part${i}.html`, 'utf8')
  const render = async () => {
    const known = cured && await Promise.all([0, 1, 2].map(read))
    let size = 0
    for (let order = 0; order < 3000; order++) {
      for (let i = 0; i < 3; i++) size += (known ? known[i] : await read(i)).length
    }
    if (size !== 3 * 3000 * 180) process.exit(1)
  }
  render()
} else {
  const file = fs.openSync('input', 'r')
  const piece = Buffer.alloc(cured ? 1 << 20 : 16)
  let moved = 0
  while (moved < 100000) moved += fs.readSync(file, piece)
  fs.closeSync(file)
}
