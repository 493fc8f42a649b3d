import type { Installation } from '../../../src/gateways/dashboard/installation.ts'
import type { IsAllowed, Need } from '../ui/allowed.tsx'
import type { IconName } from '../ui/icons.tsx'
import type { NavigationPage } from './navigation.ts'
import { texts } from './texts.ts'

interface CommandAction {
  readonly label: string
  readonly icon: IconName
  /** The page that has its form. */
  readonly to: NavigationPage['to']
  readonly needs: Need
  readonly isIn?: (installation: Installation) => boolean
}

const ACTIONS: readonly CommandAction[] = [
  { label: texts.actions.sendEmail, icon: 'send', to: '/emails', needs: 'emails.send' },
  { label: texts.actions.createBroadcast, icon: 'megaphone', to: '/broadcasts', needs: 'broadcasts.create' },
  { label: texts.actions.addTemplate, icon: 'page', to: '/templates', needs: 'templates.create' },
  { label: texts.actions.addAutomation, icon: 'flow', to: '/automations', needs: 'automations.create' },
  { label: texts.actions.addContact, icon: 'person', to: '/contacts', needs: 'contacts.create' },
  { label: texts.actions.importContacts, icon: 'upload', to: '/imports', needs: 'contacts.imports.create' },
  { label: texts.actions.addSegment, icon: 'layers', to: '/segments', needs: 'segments.create' },
  { label: texts.actions.addTopic, icon: 'bell', to: '/topics', needs: 'topics.create' },
  { label: texts.actions.addSuppression, icon: 'block', to: '/suppressions', needs: 'suppressions.add' },
  { label: texts.actions.createApiKey, icon: 'key', to: '/api-keys', needs: 'api-keys.create' },
  { label: texts.actions.addDomain, icon: 'globe', to: '/domains', needs: 'domains.create' },
  { label: texts.actions.addWebhook, icon: 'hook', to: '/webhooks', needs: 'webhooks.create' },
  {
    ...{ label: texts.actions.createSandbox, icon: 'flask', to: '/sandboxes', needs: 'sandboxes.create' },
    isIn: ({ has_sandboxes }) => has_sandboxes,
  },
  { label: texts.actions.inviteMember, icon: 'people', to: '/people', needs: 'invitations.create' },
]

/** What whoever is signed in may do here. */
export const actionsFor = (may: IsAllowed, installation: Installation) =>
  ACTIONS.filter(({ needs, isIn }) => may(needs) && (isIn === undefined || isIn(installation)))
