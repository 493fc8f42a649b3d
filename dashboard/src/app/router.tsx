import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  lazyRouteComponent,
  parseSearchWith,
  redirect,
  stringifySearchWith,
} from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { Empty, Loading } from '../ui/states.tsx'
import { PageFailed, PageLoadError } from './page-failed.tsx'
import { Shell } from './shell.tsx'
import { texts } from './texts.ts'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })

function NotFound() {
  return (
    <Empty icon="page" title={texts.notFound.title}>
      <Link className="button plain" to="/emails">
        {texts.notFound.goToMail}
      </Link>
    </Empty>
  )
}

type Pages = Record<string, ComponentType>

/** Not the browser's own error, at which the router would load the whole window again: the service may be away. */
function refusePage(): never {
  throw new PageLoadError()
}

/** A page is fetched when it is first opened. `words` are what its address may say besides: filters, and where its list is. */
function page<const Path extends string, Module extends Pages, const Word extends string = never>(
  path: Path,
  load: () => Promise<Module>,
  name: keyof Module & string,
  words: readonly Word[] = [],
) {
  return createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(() => (load() as Promise<Pages>).catch(refusePage), name),
    validateSearch: (search: Record<string, unknown>) => pick(search, words),
  })
}

/** The router takes `2026` for a number and `false` for a truth; whoever searches for them means the words. */
const pick = <Word extends string>(search: Record<string, unknown>, words: readonly Word[]) =>
  Object.fromEntries(
    words
      .filter((word) => ['string', 'number', 'boolean'].includes(typeof search[word]))
      .map((word) => [word, String(search[word])]),
  ) as {
    readonly [Each in Word]?: string | undefined
  }

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: ({ search }) => {
    throw redirect({ to: '/emails', search, replace: true })
  },
})

/** Of every list: the page that is shown, what it is searched for, and whether the form of a new one is asked for. */
const CURSOR = ['after', 'before', 'q', 'new'] as const
const MESSAGES = ['q', 'to', 'from', 'subject', 'text', 'tag', 'direction', 'is_read', 'message'] as const
const EMAIL_FILTER = ['status', 'to', 'tag', 'created_after', 'created_before'] as const

const routeTree = root.addChildren([
  home,
  page('/emails', () => import('./emails-home.tsx'), 'EmailsHome', [...CURSOR, ...EMAIL_FILTER]),
  page('/emails/$id', () => import('../features/emails/email-page.tsx'), 'EmailPage', ['tab']),
  page('/messages', () => import('./messages-home.tsx'), 'MessagesHome', [...CURSOR, ...MESSAGES, 'tab']),
  page('/approvals', () => import('../features/approvals/approvals-page.tsx'), 'ApprovalsPage', [...CURSOR, 'status']),
  page('/approvals/$id', () => import('../features/approvals/approval-page.tsx'), 'ApprovalPage', ['tab']),
  page('/received', () => import('./received-home.tsx'), 'ReceivedHome', CURSOR),
  page('/received/$id', () => import('../features/received-emails/received-email-page.tsx'), 'ReceivedEmailPage', [
    'tab',
  ]),
  page('/inboxes', () => import('../features/inboxes/inboxes-page.tsx'), 'InboxesPage', [...CURSOR, 'q']),
  page('/inboxes/$inbox', () => import('./mail-home.tsx'), 'MailHome', ['folder', 'label', 'q', 'read', 'thread']),
  page('/inboxes/$inbox/agent', () => import('../features/inboxes/agent-page.tsx'), 'AgentPage', CURSOR),
  page('/broadcasts', () => import('../features/broadcasts/broadcasts-page.tsx'), 'BroadcastsPage', CURSOR),
  page('/broadcasts/$id', () => import('../features/broadcasts/broadcast-page.tsx'), 'BroadcastPage', [
    ...CURSOR,
    'type',
  ]),
  page('/automations', () => import('../features/automations/automations-page.tsx'), 'AutomationsPage', CURSOR),
  page('/automations/$id', () => import('../features/automations/automation-page.tsx'), 'AutomationPage', ['view']),
  page('/automation-runs', () => import('../features/automations/runs-page.tsx'), 'RunsPage', [
    ...CURSOR,
    ...(['automation_id', 'status', 'email'] as const),
  ]),
  page('/automation-runs/$id', () => import('../features/automations/run-page.tsx'), 'RunPage', ['view']),
  page('/events', () => import('../features/events/events-page.tsx'), 'EventsPage', CURSOR),
  page('/templates', () => import('../features/templates/templates-page.tsx'), 'TemplatesPage', CURSOR),
  page('/templates/$id', () => import('../features/templates/template-page.tsx'), 'TemplatePage'),
  page('/metrics', () => import('../features/metrics/metrics-page.tsx'), 'MetricsPage', ['range', 'domain_id']),
  page('/contacts', () => import('../features/contacts/contacts-page.tsx'), 'ContactsPage', [
    ...CURSOR,
    'segment_id',
    'email',
  ]),
  page('/contacts/$id', () => import('../features/contacts/contact-page.tsx'), 'ContactPage', CURSOR),
  page('/imports', () => import('../features/contacts/imports-page.tsx'), 'ImportsPage', [...CURSOR, 'import']),
  page('/segments', () => import('../features/segments/segments-page.tsx'), 'SegmentsPage', CURSOR),
  page('/segments/$id', () => import('../features/segments/segment-page.tsx'), 'SegmentPage', CURSOR),
  page('/topics', () => import('../features/topics/topics-page.tsx'), 'TopicsPage', CURSOR),
  page('/properties', () => import('../features/contact-properties/properties-page.tsx'), 'PropertiesPage', CURSOR),
  page('/suppressions', () => import('../features/suppressions/suppressions-page.tsx'), 'SuppressionsPage', [
    ...CURSOR,
    'origin',
    'email',
  ]),
  page('/domains', () => import('../features/domains/domains-page.tsx'), 'DomainsPage', CURSOR),
  page('/domains/$id', () => import('../features/domains/domain-page.tsx'), 'DomainPage'),
  page('/webhooks', () => import('../features/webhooks/webhooks-page.tsx'), 'WebhooksPage', CURSOR),
  page('/webhooks/$id', () => import('../features/webhooks/webhook-page.tsx'), 'WebhookPage', [
    ...CURSOR,
    'event',
    'status',
    'type',
  ]),
  page('/sandboxes', () => import('../features/sandboxes/sandboxes-page.tsx'), 'SandboxesPage', CURSOR),
  page('/sandboxes/$id', () => import('./sandbox-home.tsx'), 'SandboxHome', [...CURSOR, ...MESSAGES, 'tab', 'view']),
  page('/api-keys', () => import('../features/api-keys/api-keys-page.tsx'), 'ApiKeysPage', CURSOR),
  page('/api-keys/$id', () => import('../features/api-keys/api-key-page.tsx'), 'ApiKeyPage'),
  page('/connected-apps', () => import('./connected-apps-page.tsx'), 'ConnectedAppsPage', CURSOR),
  page('/authorize', () => import('./authorize-page.tsx'), 'AuthorizePage', ['request']),
  page('/logs', () => import('../features/logs/logs-page.tsx'), 'LogsPage', CURSOR),
  page('/logs/$id', () => import('../features/logs/log-page.tsx'), 'LogPage'),
  page('/account', () => import('../features/account/account-page.tsx'), 'AccountPage'),
  page('/people', () => import('./people-home.tsx'), 'PeopleHome', CURSOR),
  page('/audit', () => import('../features/audit-events/audit-page.tsx'), 'AuditPage', [
    ...CURSOR,
    ...(['actor_id', 'action', 'object_id', 'created_after', 'created_before'] as const),
  ]),
  page('/operator', () => import('../features/operator/teams-page.tsx'), 'TeamsPage', [...CURSOR, 'name']),
  page('/operator/$id', () => import('../features/operator/team-page.tsx'), 'TeamPage'),
  page('/delivery', () => import('../features/operator/delivery/delivery-page.tsx'), 'DeliveryPage', [...CURSOR, 'by']),
  page('/delivery/$id', () => import('../features/operator/delivery/destination-page.tsx'), 'DestinationPage', CURSOR),
  page('/get-started', () => import('./onboarding/get-started-page.tsx'), 'GetStartedPage'),
  page('/settings', () => import('./settings-page.tsx'), 'SettingsPage'),
])

export const router = createRouter({
  routeTree,
  basepath: '/dashboard',
  // Cursors and filters are words; none of them is a number or an object.
  parseSearch: parseSearchWith((text) => text),
  stringifySearch: stringifySearchWith(String),
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Loading />,
  defaultErrorComponent: ({ error }) => <PageFailed error={error as Error} />,
})

// What pages read from the address, and where links lead to, is checked against these routes.
declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
