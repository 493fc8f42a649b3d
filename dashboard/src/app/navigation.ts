import type { RegisteredRouter, RouteIds } from '@tanstack/react-router'
import type { Installation } from '../../../src/gateways/dashboard/installation.ts'
import type { EndpointId } from '../api.ts'
import type { IconName } from '../ui/icons.tsx'

type PageOfMany = Exclude<RouteIds<RegisteredRouter['routeTree']>, `${string}$${string}` | '__root__' | '/authorize'>

export interface NavigationItem {
  readonly to: PageOfMany
  readonly label: string
  readonly icon: IconName
  /** `g` and this letter go there. */
  readonly letter?: string
  /** Not shown to who may not call this. */
  readonly needs?: EndpointId
  /** Not shown where there is no such thing. */
  readonly isIn?: (installation: Installation) => boolean
}

/** Nothing leaves: all mail can be looked at, searched and thrown away in one place. */
const isInbox = ({ delivery }: Installation) => delivery === 'inbox'

export const NAVIGATION: readonly (readonly [string, readonly NavigationItem[]])[] = [
  [
    'Mail',
    [
      { to: '/messages', label: 'All mail', icon: 'search', letter: 'n', isIn: isInbox },
      { to: '/emails', label: 'Emails', icon: 'send', letter: 'e' },
      { to: '/received', label: 'Received', icon: 'inbox', letter: 'r' },
      { to: '/inboxes', label: 'Inboxes', icon: 'mail', letter: 'i', needs: 'inboxes.list' },
      { to: '/broadcasts', label: 'Broadcasts', icon: 'megaphone', letter: 'b' },
      { to: '/automations', label: 'Automations', icon: 'flow', letter: 'a' },
      { to: '/events', label: 'Events', icon: 'bolt' },
      { to: '/templates', label: 'Templates', icon: 'page', letter: 't' },
      { to: '/metrics', label: 'Metrics', icon: 'chart', letter: 'm' },
    ],
  ],
  [
    'Audience',
    [
      { to: '/contacts', label: 'Contacts', icon: 'people', letter: 'c' },
      { to: '/segments', label: 'Segments', icon: 'layers' },
      { to: '/topics', label: 'Topics', icon: 'bell' },
      { to: '/properties', label: 'Properties', icon: 'tag' },
      { to: '/imports', label: 'Imports', icon: 'upload' },
      { to: '/suppressions', label: 'Suppressions', icon: 'block' },
    ],
  ],
  [
    'Set-up',
    [
      { to: '/domains', label: 'Domains', icon: 'globe', letter: 'd' },
      { to: '/webhooks', label: 'Webhooks', icon: 'hook', letter: 'w' },
      {
        to: '/sandboxes',
        label: 'Sandboxes',
        icon: 'flask',
        letter: 'x',
        needs: 'sandboxes.list',
        isIn: ({ has_sandboxes }) => has_sandboxes,
      },
      { to: '/api-keys', label: 'API keys', icon: 'key', letter: 'k' },
      { to: '/logs', label: 'Logs', icon: 'list', letter: 'l' },
      { to: '/settings', label: 'Settings', icon: 'gear', letter: 's' },
    ],
  ],
  [
    'Team',
    [
      { to: '/people', label: 'People', icon: 'people', letter: 'p', needs: 'members.list' },
      { to: '/connected-apps', label: 'Connected apps', icon: 'bolt', needs: 'oauth.grants.list' },
      { to: '/audit', label: 'Audit log', icon: 'archive', needs: 'audit-events.list' },
      { to: '/account', label: 'Account', icon: 'person', needs: 'account.get' },
    ],
  ],
  ['Installation', [{ to: '/operator', label: 'All teams', icon: 'globe', letter: 'o', needs: 'operator.teams.list' }]],
]
