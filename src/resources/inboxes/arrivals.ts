import type { Actor } from '../../http/actor.ts'
import { fileNow } from '../../inboxes/now.ts'
import { readWhatArrived } from '../received-emails/actions.ts'
import type { Services } from '../services.ts'

/** Reads and files what has just arrived or was sent, so that who was told 250 or 201 finds it in its thread. */
export async function fileArrivals(services: Services, actor: Actor) {
  await readWhatArrived(services, actor)
  await fileNow(services.db, actor.team)
}
