/** Folders that the rest of the program compiles without; the one file that imports each, and the name that it puts into its list. */
export const PLUG_INS = [
  { folder: 'features/inboxes/agent', list: 'features/index.ts', name: 'inboxAgentFeature' },
  { folder: 'gateways/mailpit', list: 'app/roles/gateways.ts', name: 'addMailpit' },
  { folder: 'gateways/mcp', list: 'app/roles/gateways.ts', name: 'addMcp' },
] as const
