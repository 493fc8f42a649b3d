import { type Command, JSON_FLAG, OperatorError } from './command.ts'

export const proxy: Command = {
  name: 'proxy',
  usage: '--upstream URL [--port PORT] [--one-team] [--read-back]',
  summary:
    'Answer every call from the upstream, do the same on our side, which sends nothing, and show the differences. --one-team: all API keys are of one account. --read-back: read each sent email back from the upstream, at most one a second',
  options: {
    ...{ upstream: { type: 'string' }, port: { type: 'string' } },
    ...{ 'one-team': { type: 'boolean' }, 'read-back': { type: 'boolean' } },
    // Our side, which the proxy starts itself.
    mirror: { type: 'boolean' },
  },
  words: 0,
  async run({ config, flags, print }) {
    if (flags.mirror) return (await import('./proxy/mirror.ts')).runMirror(config)
    const { upstream } = flags
    if (typeof upstream !== 'string') throw new OperatorError(`Usage: postwren ${proxy.name} ${proxy.usage}`)
    const { runProxy } = await import('./proxy/run.ts')
    await runProxy({
      ...{ config: { ...config, PORT: portOf(flags.port) ?? config.PORT }, upstream, print },
      ...{ isOneTeam: flags['one-team'] === true, readsBack: flags['read-back'] === true },
      program: process.argv[1]!,
    })
  },
}

export const proxyReport: Command = {
  name: 'proxy report',
  usage: '[--json]',
  summary: 'Show what the proxy has found: calls by operation, and how answers differ',
  options: JSON_FLAG,
  words: 0,
  async run({ config, flags, print }) {
    const [{ readReport }, { reportLines }, { shadowFolder }] = await Promise.all([
      import('./proxy/report-file.ts'),
      import('./proxy/report-text.ts'),
      import('./proxy/settings.ts'),
    ])
    const report = readReport(shadowFolder(config))
    if (!report) throw new OperatorError('There is no report yet: start `postwren proxy --upstream URL` first.')
    if (flags.json) return print(JSON.stringify(report))
    for (const line of reportLines(report)) print(line)
  },
}

function portOf(given: string | boolean | undefined): number | undefined {
  if (given === undefined) return undefined
  const port = Number(given)
  if (given === '' || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new OperatorError(`--port must be a number up to 65535, not \`${given}\`.`)
  return port
}
