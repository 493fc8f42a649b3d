import { text } from './settings.ts'

const ZONE = '(?:domain:)?[a-z0-9-]+(?:\\.[a-z0-9-]+)+'

/** Zones of DNS blocklists, ten at most: each is asked about each address or domain. */
export const blocklists = () =>
  text({
    pattern: new RegExp(`^${ZONE}(?:\\s*,\\s*${ZONE}){0,9}$`, 'i'),
    expected: 'be up to ten zones with commas between, like `bl.example,domain:dbl.example`',
  }).describe(
    'DNS blocklists that are asked once a day about the addresses that mail is sent from, or, with `domain:` in front, about domains, e.g. `bl.example,domain:dbl.example`. They learn which ones you have. Unset: none is. docs/operations/domain-health.md.',
  )
