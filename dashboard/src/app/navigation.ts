import type { IconName } from '../ui/icons.tsx'

export interface NavigationItem {
  readonly to: string
  readonly label: string
  readonly icon: IconName
  /** The page is there when the server has this path. */
  readonly needs?: string
  /** `g` and this letter go there. */
  readonly letter?: string
}

export const NAVIGATION: readonly (readonly [string, readonly NavigationItem[]])[] = [
  [
    'Mail',
    [
      { to: '/emails', label: 'Emails', icon: 'send', letter: 'e' },
      { to: '/received', label: 'Received', icon: 'inbox', needs: '/emails/receiving', letter: 'r' },
      { to: '/broadcasts', label: 'Broadcasts', icon: 'megaphone', needs: '/broadcasts', letter: 'b' },
      { to: '/templates', label: 'Templates', icon: 'page', needs: '/templates', letter: 't' },
      { to: '/metrics', label: 'Metrics', icon: 'chart', needs: '/emails/metrics', letter: 'm' },
    ],
  ],
  [
    'Audience',
    [
      { to: '/contacts', label: 'Contacts', icon: 'people', needs: '/contacts', letter: 'c' },
      { to: '/segments', label: 'Segments', icon: 'layers', needs: '/segments' },
      { to: '/topics', label: 'Topics', icon: 'bell', needs: '/topics' },
      { to: '/properties', label: 'Properties', icon: 'tag', needs: '/contact-properties' },
      { to: '/imports', label: 'Imports', icon: 'upload', needs: '/contacts/imports' },
      { to: '/suppressions', label: 'Suppressions', icon: 'block', needs: '/suppressions' },
    ],
  ],
  [
    'Set-up',
    [
      { to: '/domains', label: 'Domains', icon: 'globe', needs: '/domains', letter: 'd' },
      { to: '/webhooks', label: 'Webhooks', icon: 'hook', needs: '/webhooks', letter: 'w' },
      { to: '/api-keys', label: 'API keys', icon: 'key', needs: '/api-keys', letter: 'k' },
      { to: '/logs', label: 'Logs', icon: 'list', needs: '/logs', letter: 'l' },
      { to: '/settings', label: 'Settings', icon: 'gear', letter: 's' },
    ],
  ],
]
