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
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { Shell } from './shell.tsx'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })

function NotFound() {
  return (
    <Empty icon="page" title="There is no such page">
      <Link to="/emails">Go to the emails</Link>
    </Empty>
  )
}

type Pages = Record<string, ComponentType>

/** A page is fetched when it is first opened. */
function page<Module extends Pages>(path: string, load: () => Promise<Module>, name: keyof Module & string) {
  return createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(load as () => Promise<Pages>, name),
  })
}

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: ({ search }) => {
    throw redirect({ to: '/emails', search: search as never, replace: true })
  },
})

const routes = [
  home,
  page('/emails', () => import('./emails-home.tsx'), 'EmailsHome'),
  page('/emails/$id', () => import('../features/emails/email-page.tsx'), 'EmailPage'),
  page('/received', () => import('./received-home.tsx'), 'ReceivedHome'),
  page('/received/$id', () => import('../features/received-emails/received-email-page.tsx'), 'ReceivedEmailPage'),
  page('/broadcasts', () => import('../features/broadcasts/broadcasts-page.tsx'), 'BroadcastsPage'),
  page('/broadcasts/$id', () => import('../features/broadcasts/broadcast-page.tsx'), 'BroadcastPage'),
  page('/templates', () => import('../features/templates/templates-page.tsx'), 'TemplatesPage'),
  page('/templates/$id', () => import('../features/templates/template-page.tsx'), 'TemplatePage'),
  page('/metrics', () => import('../features/metrics/metrics-page.tsx'), 'MetricsPage'),
  page('/contacts', () => import('../features/contacts/contacts-page.tsx'), 'ContactsPage'),
  page('/contacts/$id', () => import('../features/contacts/contact-page.tsx'), 'ContactPage'),
  page('/imports', () => import('../features/contacts/imports-page.tsx'), 'ImportsPage'),
  page('/segments', () => import('../features/segments/segments-page.tsx'), 'SegmentsPage'),
  page('/segments/$id', () => import('../features/segments/segment-page.tsx'), 'SegmentPage'),
  page('/topics', () => import('../features/topics/topics-page.tsx'), 'TopicsPage'),
  page('/properties', () => import('../features/contact-properties/properties-page.tsx'), 'PropertiesPage'),
  page('/suppressions', () => import('../features/suppressions/suppressions-page.tsx'), 'SuppressionsPage'),
  page('/domains', () => import('../features/domains/domains-page.tsx'), 'DomainsPage'),
  page('/domains/$id', () => import('../features/domains/domain-page.tsx'), 'DomainPage'),
  page('/webhooks', () => import('../features/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  page('/webhooks/$id', () => import('../features/webhooks/webhook-page.tsx'), 'WebhookPage'),
  page('/api-keys', () => import('../features/api-keys/api-keys-page.tsx'), 'ApiKeysPage'),
  page('/logs', () => import('../features/logs/logs-page.tsx'), 'LogsPage'),
  page('/logs/$id', () => import('../features/logs/log-page.tsx'), 'LogPage'),
  page('/settings', () => import('./settings-page.tsx'), 'SettingsPage'),
]

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: '/dashboard',
  // Cursors and filters are words; none of them is a number or an object.
  parseSearch: parseSearchWith((text) => text),
  stringifySearch: stringifySearchWith(String),
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Loading />,
  defaultErrorComponent: ({ error }) => <Failed error={error as Error} onRetry={() => location.reload()} />,
})
