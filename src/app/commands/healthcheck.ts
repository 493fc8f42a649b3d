import { type Command, OperatorError } from './command.ts'

export const healthcheck: Command = {
  name: 'healthcheck',
  usage: '',
  summary: 'Exit 0 when the service of these settings is ready',
  words: 0,
  async run({ config }) {
    const reply = await fetch(`http://127.0.0.1:${config.PORT}/readyz`).catch(() => null)
    if (!reply?.ok) throw new OperatorError('not ready')
  },
}
