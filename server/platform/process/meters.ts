/**
 * The metrics of a process. Slices name their metrics and never see the output format. Invariant: a label has a short list of
 * values that is known beforehand; data about a person, a payment or a merchant is never a label.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

type Labels<Name extends string> = Readonly<Record<Name, string>>

export type Count<Name extends string> = (labels: Labels<Name>, by?: number) => void

export type Observe<Name extends string> = (labels: Labels<Name>, seconds: number) => void

/** A current value: `set` for one set of labels, `clear` for all, so that values that no longer exist are not shown. */
export type Figure<Name extends string> = { set(labels: Labels<Name>, value: number): void; clear(): void }

export type Meters = {
  /** The same name requested twice returns the same counter. */
  counter<Name extends string>(name: string, help: string, labels: readonly Name[]): Count<Name>
  /** Durations in seconds, counted in buckets up to each of `bounds`. */
  histogram<Name extends string>(name: string, help: string, labels: readonly Name[], bounds: readonly number[]): Observe<Name>
  figure<Name extends string>(name: string, help: string, labels: readonly Name[]): Figure<Name>
  /** Also counts runtime metrics: memory, processor, garbage collection, the delay of the event loop. */
  countRuntime(): void
  /** All metrics in the format of Prometheus. */
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
        // A gauge without labels would show 0, which is also a value.
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
