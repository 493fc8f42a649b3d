import type { Services } from '../../services.ts'

/** What it needs of the process. */
export interface InboxesLabelsServices extends Pick<Services, 'db'> {}
