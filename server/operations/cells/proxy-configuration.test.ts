import assert from 'node:assert/strict'
import { test } from 'node:test'
import { derivedMoneyId, newMoneyId, toShort, toWire } from '../../platform/ids.ts'
import { readCellsFile } from './cells-file.ts'
import { homesPattern, shortPattern } from './proxy-configuration.ts'

const file = {
  bind: { api: ':8000', checkout: ':8001' },
  default: 'k1',
  cells: [
    { name: 'k1', homes: '0-127', hosts: ['k1.malipo.example'], api: ['10.0.1.1:3000'], checkout: ['10.0.1.1:3001'] },
    { name: 'k2', homes: '128-255', hosts: [], api: ['10.0.2.1:3000'], checkout: ['10.0.2.1:3001'], slugs: ['duka'] },
  ],
}

test('the pattern of a range of homes fits exactly the ids of these homes, random, derived and short', () => {
  for (const range of [
    { first: 0, last: 255 },
    { first: 0, last: 127 },
    { first: 128, last: 255 },
    { first: 0, last: 1 },
    { first: 62, last: 65 },
    { first: 254, last: 255 },
    { first: 16, last: 31 },
  ]) {
    const pattern = new RegExp(`^pay_[0-9a-z]{11}${homesPattern(range)}`)
    const short = new RegExp(`^${shortPattern(range)}$`)
    for (let home = 0; home < 256; home += 1) {
      for (const id of [newMoneyId(home), derivedMoneyId(home, ['payout', String(home)])]) {
        const isIn = home >= range.first && home <= range.last
        assert.equal(pattern.test(toWire('pay', id)), isIn, `home ${home} in ${range.first}-${range.last}`)
        if (id[14] === '7') assert.equal(short.test(toShort(id)), isIn, `short, home ${home} in ${range.first}-${range.last}`)
      }
    }
  }
})

test('a file of cells that cannot be routed is refused with what is wrong in it', () => {
  const [one, two] = file.cells
  const refuses = (changed: unknown, sentence: RegExp): void =>
    assert.throws(() => readCellsFile(JSON.stringify(changed)), sentence)
  assert.deepEqual(readCellsFile(JSON.stringify(file)).cells[1]!.homes, { first: 128, last: 255 })
  refuses({ ...file, cells: [one, { ...two, homes: '126-255' }] }, /the cells k1 and k2 have the same homes/)
  refuses({ ...file, cells: [one, { ...two, homes: '129-255' }] }, /cells\.1\.homes: begin with an even number/)
  refuses({ ...file, cells: [one, { ...two, name: 'k1' }] }, /two cells have the name k1/)
  refuses({ ...file, cells: [one, { ...two, api: ['http://10.0.2.1'] }] }, /cells\.1\.api\.0: write it as host:port/)
  refuses({ ...file, bind: { ...file.bind, api: ':8000\n  http-request deny' } }, /bind\.api: write it on one line/)
  refuses({ ...file, default: 'k3' }, /default: no cell has this name/)
  refuses({ ...file, cells: [one, { ...two, nmae: 'k2' }] }, /nmae/)
  assert.throws(() => readCellsFile('{'), /is not JSON/)
})
