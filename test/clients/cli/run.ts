import type { Score } from '../score.ts'
import type { World } from '../world.ts'
import { tryAudience } from './audience.ts'
import { tryAutomations } from './automations.ts'
import { tryEmails } from './emails.ts'
import { trySettings } from './settings.ts'
import { CliTrial } from './trial.ts'

/** The CLI, every command of it: `commands` is its own list. */
export async function tryCli(world: World): Promise<Score[]> {
  const cli = new CliTrial(world)
  await trySettings(cli)
  await tryEmails(cli)
  await tryAudience(cli)
  await tryAutomations(cli)
  return [await cli.finish(whySkipped)]
}

function whySkipped(command: string) {
  const [first = '', last = ''] = [command.split(' ')[0], command.split(' ').at(-1)]
  // A browser, the vendor's own pages and releases, his job board, and texts for a shell.
  if (last === 'open' || ['docs', 'update', 'careers', 'completion', 'commands'].includes(first)) return 'local'
  return undefined
}
