/**
 * What a process counts of itself. Slices name what they count and never see the format in which it is read. Invariant: a label comes from
 * a short list that is known beforehand; what belongs to a person, a payment or a merchant is no label.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

type Labels<Name extends string> = Readonly<Record<Name, string>>

export type Count<Name extends string> = (labels: Labels<Name>, by?: number) => void

export type Observe<Name extends string> = (labels: Labels<Name>, seconds: number) => void

/** A figure as it stands now: `set` for one set of labels, `clear` for all, so that what is not any more is not shown. */
export type Figure<Name extends string> = { set(labels: Labels<Name>, value: number): void; clear(): void }

export type Meters = {
  /** The same name asked for twice is the same count. */
  counter<Name extends string>(name: string, help: string, labels: readonly Name[]): Count<Name>
  /** Durations in seconds, sorted into those up to each of `bounds`. */
  histogram<Name extends string>(name: string, help: string, labels: readonly Name[], bounds: readonly number[]): Observe<Name>
  figure<Name extends string>(name: string, help: string, labels: readonly Name[]): Figure<Name>
  /** Counts what the runtime knows besides: memory, processor, garbage, the delay of the event loop. */
  countRuntime(): void
  /** All of it, as Prometheus reads it. */
  render(): Promise<{ contentType: string; text: string }>
}

export function createMeters(): Meters {
  const registry = new Registry()

  function once<Metric>(name: string, make: () => Metric): Metric {
    return (registry.getSingleMetric(name) as Metric | undefined) ?? make()
  }

  return {
    counter(name, help, labels) {
      const counter = once(name, () => new Counter({ name, help, labelNames: labels, registers: [registry] }))
      return (values, by = 1) => counter.inc(values, by)
    },
    histogram(name, help, labels, bounds) {
      const options = { name, help, labelNames: labels, buckets: [...bounds], registers: [registry] }
      const histogram = once(name, () => new Histogram(options))
      return (values, seconds) => histogram.observe(values, seconds)
    },
    figure(name, help, labels) {
      const gauge = once(name, () => new Gauge({ name, help, labelNames: labels, registers: [registry] }))
      function clear(): void {
        gauge.reset()
        // One without labels would stand at nought, which is a figure too.
        if (labels.length === 0) gauge.remove({})
      }
      clear()
      return { set: (values, value) => gauge.set(values, value), clear }
    },
    countRuntime() {
      collectDefaultMetrics({ register: registry })
    },
    async render() {
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
  }
}
