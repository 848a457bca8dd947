// Streams in Node: readers.js CASE [cured|prepare].
const fs = require('fs')
const readline = require('readline')
const [which, mode] = process.argv.slice(2)
const COUNT = which === 'pieces-of-a-stream' ? 300000 : 1500000

if (mode === 'prepare') {
  const lines = Array.from({length: COUNT}, (_, i) => `order${i}|${i % 97}\n`)
  fs.writeFileSync('orders.txt', lines.join(''))
} else {
  const small = which === 'pieces-of-a-stream' && mode !== 'cured'
  const input = fs.createReadStream('orders.txt', small ? {highWaterMark: 256} : {})
  let number = 0
  const lines = readline.createInterface({input, crlfDelay: Infinity})
  lines.on('line', line => { if (line.indexOf('|') > 0) number++ })
  lines.on('close', () => process.exit(number === COUNT ? 0 : 1))
}
