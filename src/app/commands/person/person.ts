import { type Command, JSON_FLAG } from '../command.ts'

export const personExport: Command = {
  name: 'person export',
  usage: 'ADDRESS [--team T] [--to FILE] [--json]',
  summary:
    'Count what is kept about a person, by kind. --to writes every row that names the address to a file, as JSON lines; --json prints them',
  options: { team: { type: 'string' }, to: { type: 'string' }, ...JSON_FLAG },
  words: 1,
  async run(input) {
    const { runExport } = await import('./commands.ts')
    await runExport(input)
  },
}

export const personErase: Command = {
  name: 'person erase',
  usage: 'ADDRESS [--team T] [--yes] [--json]',
  summary:
    'Erase a person from every table, file and search index. Shows what would go and asks, unless --yes. Goes on where it was interrupted',
  options: { team: { type: 'string' }, yes: { type: 'boolean' }, ...JSON_FLAG },
  words: 1,
  async run(input) {
    const { runErase } = await import('./commands.ts')
    await runErase(input)
  },
}
