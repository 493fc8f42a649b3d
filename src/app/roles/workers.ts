import type { Worker, WorkerDefinition, WorkerSeams } from '../../features/feature.ts'
import { FEATURES } from '../../features/index.ts'
import type { Services } from '../../features/services.ts'
import { createWorker } from './jobs.ts'

/** Those that run jobs, first: it starts before what fills its queue. */
const WORKERS: readonly WorkerDefinition[] = [
  { name: 'jobs', role: 'jobs', isHoldable: false, create: createWorker },
  ...FEATURES.flatMap(({ workers }) => workers),
]

/** The workers of a process with these roles, by name. */
export function createWorkers(
  services: Services,
  roles: readonly string[],
  seams: WorkerSeams = {},
): ReadonlyMap<string, Worker> {
  const own = WORKERS.filter(({ role }) => roles.includes(role))
  return new Map(own.map(({ name, create }) => [name, create(services, seams)]))
}

/** Starts them. While everything is held back, those that send wait for another start. */
export async function startWorkers(workers: ReadonlyMap<string, Worker>, isHolding: boolean) {
  for (const { name, isHoldable } of WORKERS) if (!isHoldable) await workers.get(name)?.start()
  if (isHolding) return
  await Promise.all(WORKERS.map(({ name, isHoldable }) => isHoldable && workers.get(name)?.start()))
}
