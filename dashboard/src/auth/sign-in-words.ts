/** The words of the sign-in. Also for the first look of a visit, so without React. */
export const signInWords = {
  en: {
    signIn: 'Sign in',
    signInText: 'See your money, to the shilling.',
    identifier: 'E-mail address or phone number',
    password: 'Password',
    forgot: 'Forgot your password?',
    noAccount: 'No account yet?',
    register: 'Register',
  },
  sw: {
    signIn: 'Ingia',
    signInText: 'Ona pesa zako, hadi shilingi ya mwisho.',
    identifier: 'Barua pepe au namba ya simu',
    password: 'Nenosiri',
    forgot: 'Umesahau nenosiri?',
    noAccount: 'Huna akaunti bado?',
    register: 'Jisajili',
  },
} as const
