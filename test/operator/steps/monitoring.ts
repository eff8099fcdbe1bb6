/** The monitoring of docs/operations/watching.md: a real Prometheus with our rules, and the alert for a process that has ended. */
import assert from 'node:assert/strict'
import type { Operator } from '../operator.ts'
import type { Step } from '../steps.ts'

type Sample = { metric: Record<string, string>; value: [at: number, value: string] }

async function query({ call }: Operator, expression: string): Promise<Sample[]> {
  const { body } = await call('GET', `http://127.0.0.1:9090/api/v1/query?query=${encodeURIComponent(expression)}`)
  return body.data.result
}

export const monitoringSteps: Step[] = [
  {
    title: 'Prometheus with our rules: its own checks, and every process scraped',
    async run(operator) {
      const { block, until } = operator
      await block('watching.md / Alerts and dashboard / 1')
      assert.match(await block('watching.md / Alerts and dashboard / 2'), /SUCCESS/)
      await until('both processes are scraped', async () => {
        const found = await query(operator, 'up{job="malipo"} == 1')
        return found.length === 2
      })
      const [completed] = await query(operator, 'sum(malipo_payment_moves_total{status="completed"})')
      assert.equal(completed?.value[1], '1')
      assert.deepEqual(
        (await query(operator, 'max(malipo_verify_violations{severity="money"})')).map(({ value }) => value[1]),
        ['0'],
      )
    },
  },
  {
    title: 'the worker is stopped: the alert of a dead process is pending, and goes with the next start',
    async run(operator) {
      const { machine, until } = operator
      await machine.run('systemctl stop malipo-worker')
      await until(
        'the alert is pending',
        async () => (await query(operator, 'ALERTS{alertname="ProcessAway",role="worker"}')).length === 1,
        90_000,
      )
      await machine.run('systemctl start malipo-worker')
      await until('the worker is scraped again', async () => (await query(operator, 'up{job="malipo"} == 1')).length === 2)
    },
  },
]
