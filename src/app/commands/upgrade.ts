import { JSON_FLAG, OperatorError, type SettingsCommand } from './command.ts'

export const upgradeCommand: SettingsCommand = {
  name: 'upgrade',
  usage: '--check [--json]',
  summary:
    'Report what an upgrade to this version would do: migrations, settings, database, running processes, mail in flight. Changes nothing; exits with 1 if it would fail',
  options: { check: { type: 'boolean' }, ...JSON_FLAG },
  words: 0,
  async report(settings, { flags, print }) {
    if (!flags.check)
      throw new OperatorError(
        'Usage: postwren upgrade --check [--json]. To upgrade, install the new version and start it.',
      )
    const { reportUpgrade } = await import('./upgrade/report.ts')
    await reportUpgrade(settings, { isJson: flags.json === true, print })
  },
}
