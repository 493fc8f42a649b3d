import { type FirstMail, readProgram, tryFirstMail } from '../languages/first-mail.ts'
import { CACHE } from '../packages.ts'
import type { Score } from '../score.ts'
import type { World } from '../world.ts'
import { tryAudience } from './audience.ts'
import { tryAutomations } from './automations.ts'
import { tryEmails } from './emails.ts'
import { tryInboxes } from './inboxes.ts'
import { trySettings } from './settings.ts'
import { SdkTrial } from './trial.ts'

const NEWEST = 'resend'
const OLDER = ['6.28', '6.12', '6.4', '6.0', '5.0', '4.8', '4.0', '3.5', '2.1', '1.1', '0.17']

/** The SDK of today and of each year before: the oldest is what programs still run that were written in 2023. */
export async function trySdks(world: World): Promise<Score[]> {
  const firstMail: FirstMail = { file: 'first-mail.mjs', command: [process.execPath, 'first-mail.mjs'] }
  const wrongInFirst = await tryFirstMail(readProgram('Node', 'ts'), { world, folder: CACHE, firstMail })
  // Before 6 there is no other way to name the service, and it is read while the module loads.
  process.env.RESEND_BASE_URL = world.url
  // Some versions print every refusal otherwise.
  process.env.NODE_ENV = 'production'
  const scores: Score[] = []
  for (const name of [NEWEST, ...OLDER.map((version) => `${NEWEST}-${version}`)]) {
    const trial = await SdkTrial.of(name, NEWEST, world)
    await tryEmails(trial)
    await tryInboxes(trial)
    await tryAudience(trial)
    await trySettings(trial)
    await tryAutomations(trial)
    scores.push(trial.finish())
  }
  scores[0]!.count('first mail', wrongInFirst)
  return scores
}
