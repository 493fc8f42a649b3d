import type { Actor } from '../../kernel/http/actor.ts'
import { readWhatArrived } from '../inbound/index.ts'
import { fileNow } from './filing/now.ts'
import type { InboxesServices } from './services.ts'

/** Reads and files what has just arrived or was sent, so that who got 250 or 201 finds it in its thread. */
export async function fileArrivals(services: InboxesServices, actor: Actor) {
  await readWhatArrived(services, actor)
  await fileNow(services, actor.team)
}
