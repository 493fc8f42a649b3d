import type { Feature, Worker, WorkerDefinition, WorkerSeams } from '../../features/feature.ts'
import type { Services } from '../../features/services.ts'
import { createWorker } from './jobs.ts'

/** Those that run jobs, first: it starts before what fills its queue. */
const definitionsOf = (product: Feature): readonly WorkerDefinition[] => [
  { name: 'jobs', role: 'jobs', isHoldable: false, create: (services) => createWorker(product, services) },
  ...product.workers,
]

/** The workers of a process with these roles, by name. */
export function createWorkers(
  product: Feature,
  services: Services,
  { roles, seams = {} }: { roles: readonly string[]; seams?: WorkerSeams },
): ReadonlyMap<string, Worker> {
  const own = definitionsOf(product).filter(({ role }) => roles.includes(role))
  return new Map(own.map(({ name, create }) => [name, create(services, seams)]))
}

/** Starts them. While everything is held back, those that send wait for another start. */
export async function startWorkers(product: Feature, workers: ReadonlyMap<string, Worker>, isHolding: boolean) {
  const definitions = definitionsOf(product)
  for (const { name, isHoldable } of definitions) if (!isHoldable) await workers.get(name)?.start()
  if (isHolding) return
  await Promise.all(definitions.map(({ name, isHoldable }) => isHoldable && workers.get(name)?.start()))
}
