import { type Command, JSON_FLAG } from './command.ts'

export const exportCommand: Command = {
  name: 'export',
  usage: '--to DIR [--team NAME] [--with-secrets] [--json]',
  summary: 'Write everything, or one team, as JSON lines and blobs into a folder. Works beside a running service',
  options: { to: { type: 'string' }, team: { type: 'string' }, 'with-secrets': { type: 'boolean' }, ...JSON_FLAG },
  words: 0,
  async run(input) {
    const { runExport } = await import('./export/commands.ts')
    await runExport(input)
  },
}

export const importPostwren: Command = {
  name: 'import postwren',
  usage: '--from DIR [--team-name NAME] [--json]',
  summary: 'Import an export of Postwren. Its teams are suspended until `postwren team unsuspend`',
  options: { from: { type: 'string' }, 'team-name': { type: 'string' }, ...JSON_FLAG },
  words: 0,
  async run(input) {
    const { runImport } = await import('./export/commands.ts')
    await runImport(input)
  },
}
