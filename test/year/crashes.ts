/** A crash of each process, in the middle of its work: the database included. */
import type { ProcessName, Service } from './service.ts'

export type Victim = ProcessName | 'database'

export const victims: readonly Victim[] = ['api', 'worker', 'simulator', 'database']

/** Kills it at once, and starts it again after `meanwhile`. */
export async function crash(service: Service, victim: Victim): Promise<void> {
  if (victim === 'database') {
    await service.database.crash()
    await service.database.start()
    await service.findDatabase()
    return
  }
  await service.kill(victim)
  await service.start(victim)
}
