import type { Services } from '../../services.ts'

/** What it needs of the process. */
export interface InboxesAgentServices
  extends Pick<
    Services,
    | 'db'
    | 'clock'
    | 'config'
    | 'blobs'
    | 'log'
    | 'publicUrl'
    | 'links'
    | 'disclosures'
    | 'sending'
    | 'keysInFlight'
    | 'teamStates'
    | 'inboxHooks'
  > {}

/** To show and change what the agent does. */
export interface AgentSettingsServices extends Pick<Services, 'db' | 'config' | 'model'> {}
