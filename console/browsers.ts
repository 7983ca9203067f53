/** The oldest browsers that the console and GraphiQL are built for. */
export const browsers = ['chrome120', 'firefox121', 'safari17']
