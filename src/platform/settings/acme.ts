import type { Config } from './config.ts'

const DIRECTORIES: Record<string, string> = {
  letsencrypt: 'https://acme-v02.api.letsencrypt.org/directory',
  'letsencrypt-staging': 'https://acme-staging-v02.api.letsencrypt.org/directory',
}

/** Where the authority is found that issues certificates. Null: there is none. */
export const acmeDirectory = ({ ACME }: Config): string | null =>
  ACME === undefined ? null : (DIRECTORIES[ACME] ?? ACME)
