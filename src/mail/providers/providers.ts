/** A provider of mailboxes whose servers count all its domains together. */
export interface Provider {
  readonly name: string
  /** What the names of its mail servers end with: whole labels, without a dot at either end. */
  readonly mx: readonly string[]
}

/**
 * Providers by the names of their mail servers. Services that filter for others (gateways of companies) are not here: each of their
 * customers has rules of its own, and what one of them says is no reason to slow down at the next.
 */
export const PROVIDERS: readonly Provider[] = [
  { name: 'gmail', mx: ['google.com', 'googlemail.com'] },
  { name: 'outlook', mx: ['protection.outlook.com', 'mx.microsoft'] },
  { name: 'yahoo', mx: ['yahoodns.net'] },
  { name: 'icloud', mx: ['mail.icloud.com', 'mail.me.com'] },
  { name: 'gmx', mx: ['gmx.net', 'gmx.com', 'web.de', 'mail.com'] },
  { name: 'ionos', mx: ['kundenserver.de', '1and1.com', 'ionos.com'] },
  { name: 'mail.ru', mx: ['mail.ru'] },
  { name: 'yandex', mx: ['yandex.ru', 'yandex.net'] },
  { name: 'comcast', mx: ['comcast.net'] },
  { name: 'att', mx: ['prodigy.net'] },
  { name: 'charter', mx: ['charter.net'] },
  { name: 'cox', mx: ['cox.net'] },
  { name: 'orange', mx: ['orange.fr', 'wanadoo.fr'] },
  { name: 'free', mx: ['free.fr'] },
  { name: 'sfr', mx: ['sfr.fr'] },
  { name: 'laposte', mx: ['laposte.net'] },
  { name: 't-online', mx: ['t-online.de'] },
  { name: 'libero', mx: ['libero.it'] },
  { name: 'seznam', mx: ['seznam.cz'] },
  { name: 'wp', mx: ['wp.pl'] },
  { name: 'qq', mx: ['qq.com'] },
  { name: 'netease', mx: ['netease.com'] },
  { name: 'naver', mx: ['naver.com'] },
  { name: 'zoho', mx: ['zoho.com', 'zoho.eu', 'zoho.in'] },
  { name: 'proton', mx: ['protonmail.ch', 'proton.ch'] },
  { name: 'fastmail', mx: ['messagingengine.com'] },
]

const BY_SUFFIX: ReadonlyMap<string, string> = new Map(
  PROVIDERS.flatMap(({ name, mx }) => mx.map((suffix) => [suffix, name] as const)),
)

export const isProvider = (name: string) => PROVIDERS.some((provider) => provider.name === name)

/**
 * The provider that takes the mail of a domain with these mail servers. Null unless every one of them is that provider's: who has a
 * server of another besides is not its customer alone, and anybody can name one of its servers among ten.
 */
export function providerOf(hosts: readonly string[]): string | null {
  const [first, ...others] = hosts
  if (first === undefined) return null
  const provider = providerOfHost(first)
  return provider !== null && others.every((host) => providerOfHost(host) === provider) ? provider : null
}

function providerOfHost(host: string): string | null {
  let suffix = host.toLowerCase().replace(/\.$/, '')
  for (;;) {
    const provider = BY_SUFFIX.get(suffix)
    if (provider !== undefined) return provider
    const dot = suffix.indexOf('.')
    if (dot < 0) return null
    suffix = suffix.slice(dot + 1)
  }
}
