/** The steps of `npm run test:operator`, in order: what an operator does from an empty machine on. */
import type { Operator } from './operator.ts'
import { backupSteps } from './steps/backup.ts'
import { installSteps } from './steps/install.ts'
import { keySteps } from './steps/keys.ts'
import { monitoringSteps } from './steps/monitoring.ts'
import { paymentSteps } from './steps/payment.ts'
import { personSteps } from './steps/person.ts'
import { proxySteps } from './steps/proxy.ts'
import { scannerSteps } from './steps/scanner.ts'
import { upgradeSteps } from './steps/upgrade.ts'

export type Step = {
  title: string
  /** Programs without which the step is skipped. */
  needs?: string[]
  /** Does the step and checks its result. May return a remark for the report. */
  run(operator: Operator): Promise<string | void>
}

export const steps: readonly Step[] = [
  ...installSteps,
  ...scannerSteps,
  ...proxySteps,
  ...paymentSteps,
  ...monitoringSteps,
  ...keySteps,
  ...upgradeSteps,
  ...backupSteps,
  ...personSteps,
]
