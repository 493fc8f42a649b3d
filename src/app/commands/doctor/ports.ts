import { createServer } from 'node:net'
import { type Config, settingName, smtpHost } from '../../../platform/settings/config.ts'
import { smtpPorts } from '../../../platform/settings/smtp-ports.ts'
import { localUrl } from '../local-url.ts'
import { type CheckInput, type Finding, fault, fine, warning } from './finding.ts'

interface Port {
  readonly host: string
  readonly port: number
  /** What to change. */
  readonly setting: string
  /** `serve` does without it when it is in use. */
  readonly isOptional: boolean
}

export async function checkPorts({ config, environment }: CheckInput): Promise<Finding[]> {
  const isRunning = await isPostwrenAt(config)
  return Promise.all(portsOf(config, environment).map((port) => checkPort(port, isRunning)))
}

function portsOf(config: Config, environment: NodeJS.ProcessEnv): Port[] {
  const { HOST: host, HTTPS_PORT, METRICS_PORT, METRICS_HOST = host } = config
  const mail = config.ROLES.includes('smtp') ? smtpPorts(config) : []
  return [
    { host, port: config.PORT, setting: settingName('PORT'), isOptional: false },
    ...(HTTPS_PORT === undefined
      ? []
      : [{ host, port: HTTPS_PORT, setting: settingName('HTTPS_PORT'), isOptional: false }]),
    ...mail.map(({ port }, index) => ({
      host: smtpHost(config),
      port,
      setting: settingName(index === 0 ? 'SMTP_PORT' : 'SMTP_MORE_PORTS'),
      isOptional: index === 0 && environment.POSTWREN_SMTP_PORT === undefined,
    })),
    ...(METRICS_PORT === undefined
      ? []
      : [{ host: METRICS_HOST, port: METRICS_PORT, setting: settingName('METRICS_PORT'), isOptional: false }]),
  ]
}

/** A port in use is a fault only for a service that has yet to start; the one that runs uses it rightly. */
async function checkPort({ host, port, setting, isOptional }: Port, isRunning: boolean): Promise<Finding> {
  if (port === 0) return fine('ports', `${setting} is 0: a free port is picked.`)
  const address = `Port ${port} on ${host}`
  const code = await tryToListen(host, port)
  if (code === null) return fine('ports', `${address} is free.`)
  if (code === 'EADDRINUSE') {
    if (isRunning) return fine('ports', `${address} is in use, and a Postwren is running here.`)
    const message = `${address} is in use: stop the other program, or change ${setting}.`
    return isOptional ? warning('ports', message) : fault('ports', message)
  }
  if (code === 'EACCES')
    return fault(
      'ports',
      `${address} needs root: give node the capability CAP_NET_BIND_SERVICE, or change ${setting} and redirect.`,
    )
  return fault('ports', `${address} cannot be used (${code}): change ${setting} or POSTWREN_HOST.`)
}

function tryToListen(host: string, port: number): Promise<string | null> {
  return new Promise((done) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? 'unknown'))
    server.listen(port, host, () => server.close(() => done(null)))
  })
}

const HEALTH_MS = 2_000

/** Whether what answers at our port is one of us. */
async function isPostwrenAt(config: Config): Promise<boolean> {
  if (config.PORT === 0) return false
  try {
    const answer = await fetch(`${localUrl(config)}/health`, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(HEALTH_MS),
    })
    const { status } = (await answer.json()) as { status?: unknown }
    return status === 'ok' || status === 'unavailable'
  } catch {
    return false
  }
}
