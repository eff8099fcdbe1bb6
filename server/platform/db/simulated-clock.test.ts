/** The clock of the simulated year moves only for transactions that begin after a move. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../../test/app.ts'
import { simulatedClock, simulatedClockSetting } from './simulated-clock.sql.ts'

test('a transaction keeps the shift that it began with, a later one has the new shift, and without the setting the clock fails', async (t) => {
  const { owner } = await startTestApp(t)
  const client = await owner.pool.connect()
  const readShift = async (): Promise<number> => {
    const { rows } = await client.query<{ shift: number }>('select extract(epoch from clock_now() - now())::float8 as shift')
    return rows[0]!.shift
  }
  const move = (moment: string) =>
    client.query(`select set_config($1, format('%s/3600/7200', extract(epoch from now() + $2::interval)), true)`, [
      simulatedClockSetting,
      moment,
    ])
  try {
    // In a transaction that is rolled back: the other connections of the app keep the ordinary clock.
    await client.query('begin')
    await client.query(simulatedClock)
    await move('1 millisecond')
    assert.equal(await readShift(), 3600)
    await move('-1 millisecond')
    assert.equal(await readShift(), 7200)
    await client.query('rollback')
    await client.query('begin')
    await client.query(simulatedClock)
    await client.query(`select set_config($1, '', true)`, [simulatedClockSetting])
    await assert.rejects(readShift(), /invalid input syntax/)
  } finally {
    await client.query('rollback')
    client.release()
  }
})
