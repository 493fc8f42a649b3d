import type { RegisteredRouter, RouteIds } from '@tanstack/react-router'
import type { Installation } from '../../../src/gateways/dashboard/installation.ts'
import type { EndpointId } from '../api.ts'
import type { IsAllowed } from '../ui/allowed.tsx'
import type { IconName } from '../ui/icons.tsx'
import { texts } from './texts.ts'

type PageOfMany = Exclude<
  RouteIds<RegisteredRouter['routeTree']>,
  `${string}$${string}` | '__root__' | '/' | '/authorize'
>

/** A page of a section. Where a section has several, they are its tabs. */
export interface NavigationPage {
  readonly to: PageOfMany
  readonly label: string
  /** `g` and this letter go there. */
  readonly letter?: string
  /** Not shown to who may not call this. */
  readonly needs?: EndpointId
  /** Not shown where there is no such thing. */
  readonly isIn?: (installation: Installation) => boolean
}

/** An entry of the rail. */
export interface NavigationSection {
  readonly label: string
  readonly icon: IconName
  readonly pages: readonly NavigationPage[]
}

/** Nothing leaves: all mail can be looked at, searched and thrown away in one place. */
const isInbox = ({ delivery }: Installation) => delivery === 'inbox'

/** The one description of what the dashboard consists of: rail, tabs, letters, permissions, the command menu. */
export const NAVIGATION: readonly NavigationSection[] = [
  {
    label: texts.navigation.mail,
    icon: 'mail',
    pages: [
      { to: '/emails', label: texts.navigation.sent, letter: 'e' },
      { to: '/received', label: texts.navigation.received, letter: 'r' },
      { to: '/messages', label: texts.navigation.allMail, letter: 'n', isIn: isInbox },
      { to: '/approvals', label: texts.navigation.approvals, letter: 'v', needs: 'approvals.list' },
    ],
  },
  {
    label: texts.navigation.inboxes,
    icon: 'inbox',
    pages: [{ to: '/inboxes', label: texts.navigation.inboxes, letter: 'i', needs: 'inboxes.list' }],
  },
  {
    label: texts.navigation.broadcasts,
    icon: 'megaphone',
    pages: [{ to: '/broadcasts', label: texts.navigation.broadcasts, letter: 'b' }],
  },
  {
    label: texts.navigation.automations,
    icon: 'flow',
    pages: [
      { to: '/automations', label: texts.navigation.automations, letter: 'a' },
      { to: '/automation-runs', label: texts.navigation.automationRuns },
      { to: '/events', label: texts.navigation.events },
    ],
  },
  {
    label: texts.navigation.templates,
    icon: 'page',
    pages: [{ to: '/templates', label: texts.navigation.templates, letter: 't' }],
  },
  {
    label: texts.navigation.audience,
    icon: 'people',
    pages: [
      { to: '/contacts', label: texts.navigation.contacts, letter: 'c' },
      { to: '/segments', label: texts.navigation.segments },
      { to: '/topics', label: texts.navigation.topics },
      { to: '/properties', label: texts.navigation.properties },
      { to: '/imports', label: texts.navigation.imports },
      { to: '/suppressions', label: texts.navigation.suppressions },
    ],
  },
  {
    label: texts.navigation.metrics,
    icon: 'chart',
    pages: [{ to: '/metrics', label: texts.navigation.metrics, letter: 'm' }],
  },
  {
    label: texts.navigation.developers,
    icon: 'code',
    pages: [
      { to: '/api-keys', label: texts.navigation.apiKeys, letter: 'k' },
      { to: '/webhooks', label: texts.navigation.webhooks, letter: 'w' },
      { to: '/logs', label: texts.navigation.logs, letter: 'l' },
      { to: '/domains', label: texts.navigation.domains, letter: 'd' },
      {
        to: '/sandboxes',
        label: texts.navigation.sandboxes,
        letter: 'x',
        needs: 'sandboxes.list',
        isIn: ({ has_sandboxes }) => has_sandboxes,
      },
    ],
  },
  {
    label: texts.navigation.settings,
    icon: 'gear',
    pages: [
      { to: '/settings', label: texts.navigation.general, letter: 's' },
      { to: '/people', label: texts.navigation.people, letter: 'p', needs: 'members.list' },
      { to: '/connected-apps', label: texts.navigation.apps, needs: 'oauth.grants.list' },
      { to: '/audit', label: texts.navigation.auditLog, needs: 'audit-events.list' },
      { to: '/account', label: texts.navigation.account, needs: 'account.get' },
    ],
  },
  {
    label: texts.navigation.installation,
    icon: 'globe',
    pages: [
      { to: '/operator', label: texts.navigation.allTeams, letter: 'o', needs: 'operator.teams.list' },
      { to: '/delivery', label: texts.navigation.delivery, letter: 'y', needs: 'operator.delivery.summary' },
    ],
  },
]

/** What this person sees of it here. */
export const navigationFor = (may: IsAllowed, installation: Installation): readonly NavigationSection[] =>
  NAVIGATION.map((section) => ({
    ...section,
    pages: section.pages.filter(
      ({ needs, isIn }) => (needs === undefined || may(needs)) && (isIn === undefined || isIn(installation)),
    ),
  })).filter(({ pages }) => pages.length > 0)

export interface Location {
  readonly section: NavigationSection
  readonly page: NavigationPage
  /** The page itself, not one of the things on it. */
  readonly isList: boolean
}

/** Where in the navigation an address is: `/emails/1` is below Sent in Mail. */
export function locate(sections: readonly NavigationSection[], path: string): Location | undefined {
  const within = path.replace(/^\/dashboard(?=\/|$)/, '').replace(/\/$/, '')
  for (const section of sections)
    for (const page of section.pages)
      if (`${within}/`.startsWith(`${page.to}/`)) return { section, page, isList: within === page.to }
  return undefined
}
