import type { Config } from './config.ts'

/** Where SMTP is spoken, and how. */
export function smtpPorts({
  SMTP_PORT,
  SMTP_MORE_PORTS = '',
}: Config): { port: number; tls: 'starttls' | 'implicit' }[] {
  const more = SMTP_MORE_PORTS.split(',').filter(Boolean)
  return [String(SMTP_PORT), ...more].map((text) => ({
    port: Number.parseInt(text, 10),
    tls: /\/tls\s*$/i.test(text) ? 'implicit' : 'starttls',
  }))
}
