/**
 * Starts a role that stops at one named step: it tells its parent that it got there and then does not go on, so that the parent can
 * kill it exactly there. The steps are those of checkout (S1 store, S2 call the provider, S3 record) and of a provider's message
 * (C2 store, C4 settle), of a payout (P1 reserve, P2 send) and the sending of a webhook (W1). No slice knows of this: only what the slices receive is wrapped.
 */
import type { Dependencies } from '../../server/dependencies.ts'
import { wrapProviders } from '../../server/providers/provider.ts'
import { startRole } from '../../server/start-role.ts'

export type Step =
  | 'before S1'
  | 'after S1'
  | 'after S2'
  | 'after S3'
  | 'after C2'
  | 'before C4'
  | 'after C4'
  | 'after W1'
  | 'after P1'
  | 'after P2'

const [role, step] = process.argv.slice(2) as ['api' | 'worker', Step | undefined]

/** Says that the step is reached, and stays there for ever. */
function stopHere(): Promise<never> {
  process.send!({ reached: step })
  return new Promise(() => undefined)
}

/** Stops before or after `work` if that is the step. */
function at<Args extends unknown[], Result>(
  before: Step | undefined,
  after: Step | undefined,
  work: (...args: Args) => Promise<Result>,
) {
  return async (...args: Args): Promise<Result> => {
    if (step !== undefined && step === before) await stopHere()
    const result = await work(...args)
    if (step !== undefined && step === after) await stopHere()
    return result
  }
}

function wrap(deps: Dependencies): Dependencies {
  const settleMessage = at('before C4', 'after C4', deps.settle)
  const settleAnswer = at(undefined, 'after S3', deps.settle)
  return {
    ...deps,
    providers: wrapProviders(deps.providers, (provider) => ({
      ...provider,
      charge: at('after S1', 'after S2', provider.charge),
      sendPayout: at('after P1', 'after P2', provider.sendPayout),
    })),
    insertPayment: at('before S1', undefined, deps.insertPayment),
    storeMessage: at(undefined, 'after C2', deps.storeMessage),
    recordAcceptance: at(undefined, 'after S3', deps.recordAcceptance),
    egress: { ...deps.egress, post: at(undefined, 'after W1', deps.egress.post) },
    settle: (item) => (item.inboxEventId === null ? settleAnswer(item) : settleMessage(item)),
  }
}

const running = await startRole(role, wrap)
process.on('SIGTERM', () => void running.stop().then(() => process.exit(0)))
process.on('disconnect', () => process.exit(1))
process.on('message', (question) => {
  const inMb = (bytes: number) => bytes / 1e6
  if (question === 'residentMb') {
    globalThis.gc?.()
    process.send!({ memoryMb: inMb(process.memoryUsage.rss()) })
  } else if (question === 'liveMb') {
    globalThis.gc?.()
    // What the first collection finalises is let go of by the second, which is no good before resident memory is asked for: it moves
    // things to new pages.
    setImmediate(() => {
      globalThis.gc?.()
      const { heapUsed, external } = process.memoryUsage()
      process.send!({ memoryMb: inMb(heapUsed + external) })
    })
  }
})
process.send!({ ready: true })
