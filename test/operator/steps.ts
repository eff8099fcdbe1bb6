/** The steps of `npm run test:operator`, in order: what an operator does from an empty machine on. */
import type { Operator } from './operator.ts'
import { installSteps } from './steps/install.ts'

export type Step = {
  title: string
  /** Programs without which the step, and every step of the same `group`, is skipped. */
  needs?: string[]
  /** Does the step and checks its result. May return a remark for the report. */
  run(operator: Operator): Promise<string | void>
}

export const steps: readonly Step[] = [...installSteps]
