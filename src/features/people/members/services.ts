import type { Services } from '../../services.ts'

/** What it needs of the process. */
export interface PeopleMembersServices extends Pick<Services, 'db' | 'clock' | 'sessions'> {}
