/** Reads the alert rules of ops/ as Prometheus would, and evaluates them over scrapes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { durationMs, evaluate, parseExpression, type Scrape, type Series } from './promql.ts'

const record = z.strictObject({ record: z.string().regex(/^malipo:[a-z_]+:[a-z0-9]+$/), expr: z.string() })
const alert = z.strictObject({
  alert: z.string().regex(/^[A-Z][A-Za-z]+$/),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.strictObject({ severity: z.enum(['page', 'ticket', 'heartbeat']) }),
  annotations: z.strictObject({
    summary: z.string().min(20),
    runbook_url: z.string().regex(/^\{\{ \$externalLabels\.runbooks \}\}\/[a-z-]+\.md$/),
  }),
})
const file = z.strictObject({
  groups: z.array(z.strictObject({ name: z.string(), rules: z.array(z.union([record, alert])) })),
})

export type Alert = z.infer<typeof alert>

export const root = join(import.meta.dirname, '..')

/** The file of the runbook that an alert leads to. */
export const runbookOf = ({ annotations }: Alert): string => `docs/runbooks/${annotations.runbook_url.split('/').at(-1)!}`

/** `heartbeats` always fire, so that their absence is noticed; `alerts` are all others. */
export function readRules(): { records: z.infer<typeof record>[]; alerts: Alert[]; heartbeats: Alert[] } {
  const { groups } = file.parse(parse(readFileSync(join(root, 'ops/alerts.yaml'), 'utf8')))
  const rules = groups.flatMap((group) => group.rules)
  const alerts = rules.filter((rule) => 'alert' in rule)
  return {
    records: rules.filter((rule) => 'record' in rule),
    alerts: alerts.filter(({ labels }) => labels.severity !== 'heartbeat'),
    heartbeats: alerts.filter(({ labels }) => labels.severity === 'heartbeat'),
  }
}

export type Firing = { alert: string; severity: string; runbook: string; labels: Record<string, string>; value: number }

/**
 * Evaluates the rules scrape by scrape: an alert fires once its expression has held for its duration, times `scale`, and until it
 * no longer holds.
 */
export function createWatch(scale = 1): { look(scrape: Scrape): Firing[] } {
  const { records, alerts } = readRules()
  const recorded = records.map(({ record: name, expr }) => ({ name, expression: parseExpression(expr) }))
  const watched = alerts.map((rule) => ({ rule, expression: parseExpression(rule.expr) }))
  const history: Scrape[] = []
  const since = new Map<string, number>()

  return {
    look({ atMs, samples }) {
      const made = recorded.flatMap(({ name, expression }) => {
        const series = evaluate(expression, [...history, { atMs, samples }], atMs, scale) as Series[]
        return series.filter(({ value }) => !Number.isNaN(value)).map((one) => ({ ...one, name }))
      })
      history.push({ atMs, samples: [...samples, ...made] })
      const holding = watched.flatMap(({ rule, expression }) =>
        (evaluate(expression, history, atMs, scale) as Series[]).map((series) => ({ rule, ...series })),
      )
      const keys = new Set(holding.map(({ rule, labels }) => `${rule.alert} ${JSON.stringify(labels)}`))
      for (const key of since.keys()) if (!keys.has(key)) since.delete(key)
      return holding.flatMap(({ rule, labels, value }) => {
        const key = `${rule.alert} ${JSON.stringify(labels)}`
        const from = since.get(key) ?? atMs
        since.set(key, from)
        const waitMs = rule.for === undefined ? 0 : durationMs(rule.for) * scale
        if (atMs - from < waitMs) return []
        return [{ alert: rule.alert, severity: rule.labels.severity, runbook: runbookOf(rule), labels, value }]
      })
    },
  }
}
