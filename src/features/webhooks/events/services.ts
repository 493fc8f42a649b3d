import type { Services } from '../../services.ts'

/** What it needs of the process. */
export interface WebhooksEventsServices extends Pick<Services, 'db'> {}
