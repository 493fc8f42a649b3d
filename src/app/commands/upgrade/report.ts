import packageJson from '../../../../package.json' with { type: 'json' }
import type { Config } from '../../../platform/settings/config.ts'
import { loadConfig } from '../../../platform/settings/config.ts'
import type { Settings } from '../../../platform/settings/sources.ts'
import { checkDatabase, checkSecretKeyOf } from '../doctor/database.ts'
import { type Check, type Finding, fault, fine, runChecks } from '../doctor/finding.ts'
import { checkNode } from '../doctor/machine.ts'
import { checkSchema } from '../doctor/server.ts'
import { checkDataFolder } from '../doctor/storage.ts'
import { CHECK_TIMEOUT_MS, MARKS, verdictOf } from '../doctor.ts'
import { type Facts, lookAtMail, lookAtMigrations, lookAtNodes } from './facts.ts'

/** What the doctor says of what matters to a start of this version, and what would happen to this database. */
export async function reportUpgrade(
  settings: Settings,
  { isJson, print }: { isJson: boolean; print(line: string): void },
): Promise<void> {
  const facts: Facts = { migrations: null, nodes: null, mail: null }
  const { config, findings } = checkSettings(settings)
  const { findings: found, hasEnded } = config
    ? await runChecks(checksOf(facts), { config, environment: settings.environment }, CHECK_TIMEOUT_MS)
    : { findings: [], hasEnded: true }
  const all = [...findings, ...found]
  const isPossible = all.every(({ status }) => status !== 'fault')
  if (isJson) print(JSON.stringify({ ok: isPossible, version: packageJson.version, checks: all, ...facts }))
  else {
    for (const { status, message } of all) print(`${MARKS[status]} ${message}`)
    for (const name of facts.migrations ?? []) print(`  ${name}`)
    print(
      `${isPossible ? `An upgrade to ${packageJson.version} can start.` : `An upgrade to ${packageJson.version} would fail.`} ${verdictOf(all)}`,
    )
  }
  if (!isPossible) process.exitCode = 1
  // What still waits for somebody would keep the process from ending.
  if (!hasEnded) process.exit()
}

/** Names that this version does not know, and values that it does not take, would end its start. */
function checkSettings({ environment, problems }: Settings): { config: Config | null; findings: Finding[] } {
  const findings = problems.map(({ message }) => fault('settings', message))
  try {
    const config = loadConfig(environment)
    return {
      config,
      findings: findings.length > 0 ? findings : [fine('settings', 'Settings: valid for this version.')],
    }
  } catch (error) {
    return { config: null, findings: [...findings, fault('settings', (error as Error).message)] }
  }
}

const checksOf = (facts: Facts): readonly Check[] => [
  { name: 'node', run: () => checkNode() },
  { name: 'data_folder', run: checkDataFolder },
  {
    name: 'database',
    run: (input) =>
      checkDatabase(input, [
        checkSchema,
        lookAtMigrations(facts),
        checkSecretKeyOf,
        lookAtNodes(facts),
        lookAtMail(facts),
      ]),
  },
]
