/** The metrics of a process on its private port, read as Prometheus would read them. */
import assert from 'node:assert/strict'

export type Sample = { name: string; labels: Record<string, string>; value: number }

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/

export function parseScrape(text: string): Sample[] {
  return text
    .split('\n')
    .filter((row) => row !== '' && !row.startsWith('#'))
    .map((row) => {
      const [, name, given = '', value] = line.exec(row) ?? assert.fail(`This is no sample: ${row}`)
      const labels = [...given.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"(?:,|$)/g)].map(([, key, text]) => [key!, text!] as const)
      return { name: name!, labels: Object.fromEntries(labels), value: Number(value) }
    })
}

export async function scrape(url: string): Promise<Sample[]> {
  const response = await fetch(`${url}/metrics`)
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type')!, /^text\/plain; version=0\.0\.4/)
  return parseScrape(await response.text())
}

/** The sum of the samples of a name that have at least these labels; undefined without such samples. */
export function valueOf(samples: Sample[], name: string, labels: Record<string, string> = {}): number | undefined {
  const found = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0)
}
