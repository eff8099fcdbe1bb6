/** The Swahili of every sentence that a generated part of the documentation has. */
export const swahiliWords: Record<string, string> = {
  // The drawings.
  'the payer is asked': 'mlipaji anaombwa',
  'answered, or the': 'amejibu, au',
  'outcome is unknown': 'matokeo hayajulikani',
  'paid and credited': 'yamelipwa, yapo',
  'for good': 'kwenye pochi',
  'not paid,': 'hayakulipwa,',
  'with the reason': 'pamoja na sababu',
  'cancelled by': 'yameghairiwa',
  'the customer': 'na mteja',
  'no answer': 'hakuna jibu',
  'in time': 'kwa wakati',
  'how a payment ends': 'jinsi malipo yanavyoisha',
  'dashed: late, proven success': 'vipande: mafanikio ya kuchelewa',
  'amount and fee': 'kiasi na makato',
  'set aside': 'vimetengwa',
  'the network': 'huenda mtandao',
  'may have it': 'unayo pesa',
  'it has arrived': 'pesa imefika',
  'all returned': 'vyote vimerudishwa',
  'brought back:': 'imerudi:',
  Payer: 'Mlipaji',
  'Your server': 'Seva yako',
  Malipo: 'Malipo',
  'Mobile network': 'Mtandao wa simu',
  'wants to pay': 'anataka kulipa',
  'checkout: page, phone, key': 'ukurasa, simu, ufunguo',
  'ask this phone to pay': 'iombe simu hii kulipa',
  'asks for the PIN': 'unaomba namba ya siri (PIN)',
  PIN: 'namba ya siri (PIN)',
  'paid, signed': 'yamelipwa, kwa sahihi',
  'webhook, signed': 'webhook yenye sahihi',
  '200, at once': '200, mara moja',

  // The page about errors.
  Errors: 'Makosa',
  'Every error has this shape. Branch on `code`: `message` (English) and `message_sw` (Swahili) are for people to read and may change. Both are in every error, also at each field of `errors`: show `message_sw` to people who read Swahili. With `Accept: application/problem+json` the same facts are returned as RFC 9457.':
    'Kila kosa lina umbo hili. Programu yako ifuate `code`: `message` (Kiingereza) na `message_sw` (Kiswahili) ni za kusomwa na watu na zinaweza kubadilika. Zote mbili zipo kwenye kila kosa, na kwenye kila sehemu ya `errors`: waonyeshe watu `message_sw`. Ukituma `Accept: application/problem+json`, unapata taarifa zilezile kwa umbo la RFC 9457.',
  'Quote the `request_id` when you contact us: we find the request in our logs by it. Every answer also has it in the header `X-Request-Id`.':
    'Tutajie `request_id` unapowasiliana nasi: kwa hiyo tunalipata ombi lako kwenye kumbukumbu zetu. Kila jibu linayo pia kwenye kichwa `X-Request-Id`.',
  'What to do': 'La kufanya',
  Status: 'Hali',
  Meaning: 'Maana',
  'Try again?': 'Ujaribu tena?',
  'The request is invalid': 'Ombi si sahihi',
  'Not unchanged': 'Si bila kulirekebisha',
  'Authentication or permission is missing': 'Hujajitambulisha, au huna ruhusa',
  'After you have changed that': 'Baada ya kurekebisha hilo',
  'The wallet does not have enough money': 'Pochi haina pesa za kutosha',
  'After it has been credited': 'Baada ya pesa kuingia',
  'The object does not exist, or is not yours: both look the same': 'Kitu hicho hakipo, au si chako: jibu ni lilelile',
  No: 'Hapana',
  'Not possible in the current state': 'Haiwezekani kwa hali ya sasa',
  '`idempotency_in_progress`: yes, after `Retry-After`. Otherwise read the object first':
    '`idempotency_in_progress`: ndiyo, baada ya `Retry-After`. Vinginevyo soma kwanza hali ya kitu hicho',
  'Too many requests or attempts': 'Maombi au majaribio ni mengi mno',
  'After `Retry-After` seconds': 'Baada ya sekunde za `Retry-After`',
  '500, 503, no answer at all': '500, 503, au hakuna jibu kabisa',
  'A fault of the service or of the connection': 'Hitilafu ya huduma au ya mtandao',
  'Yes, with the same [idempotency key](concepts/idempotency.md): the request may have been carried out':
    'Ndiyo, kwa [ufunguo uleule wa idempotency](concepts/idempotency.md): huenda ombi limeshatekelezwa',
  Codes: 'Misimbo',
  Code: 'Msimbo',

  // The page about types of events.
  'Types of events': 'Aina za matukio',
  'Every webhook receives `payment.completed`, and the types that its `events` name: `POST /developers/apps/{app_id}/webhook` with `{"url": "…", "events": ["payment.completed", "payment.failed"]}`. `["*"]` takes every type, including those that are added later. `GET /v1/events?type=` lists the events of one type.':
    'Kila webhook inapokea `payment.completed`, pamoja na aina zilizotajwa katika `events` zake: `POST /developers/apps/{app_id}/webhook` yenye `{"url": "…", "events": ["payment.completed", "payment.failed"]}`. `["*"]` inapokea kila aina, hata zitakazoongezwa baadaye. `GET /v1/events?type=` inaorodhesha matukio ya aina moja.',
  'Where you set them, events of payments, payouts and refunds have your `merchant_reference` and `metadata`. A refund has the order number of its payment as `payment_merchant_reference`.':
    'Ukiwa umeziweka, matukio ya malipo, utumaji na urudishaji yana `merchant_reference` na `metadata` zako. Urudishaji una namba ya oda ya malipo yake kama `payment_merchant_reference`.',
  'One event is sent for each transition. The order is not promised: `data` is the state at that moment, with its time. A payment that failed and is paid late sends both.':
    'Kila badiliko la hali linatuma tukio moja. Mpangilio wa kufika hauahidiwi: `data` ni hali ya wakati huo, pamoja na saa yake. Malipo yaliyoshindikana kisha yakalipwa kwa kuchelewa yanatuma yote mawili.',
  'The payer has paid, and the wallet is credited.': 'Mlipaji amelipa, na pesa imeingia kwenye pochi.',
  'The payment has failed; `failure.code` says why. If the money arrives nevertheless, `payment.completed` follows.':
    'Malipo yameshindikana; `failure.code` inasema sababu. Pesa ikifika hata hivyo, `payment.completed` inafuata.',
  'The payment was cancelled, or the money that arrived was returned to the payer. A late success is possible, as after a failure.':
    'Malipo yameghairiwa, au pesa iliyofika imerudishwa kwa mlipaji. Yanaweza bado kufanikiwa kwa kuchelewa, kama baada ya kushindikana.',
  'The time to pay is over, and the provider has no success. A late success is possible, as after a failure.':
    'Muda wa kulipa umeisha, na mtoa huduma hana malipo yaliyofanikiwa. Yanaweza bado kufanikiwa kwa kuchelewa, kama baada ya kushindikana.',
  'The recipient has the money.': 'Mpokeaji amepata pesa.',
  'Nothing was paid, and the wallet has everything back; `failure.code` says why.':
    'Hakuna kilicholipwa, na vyote vimerudi kwenye pochi; `failure.code` inasema sababu.',
  'The network has returned the money, and the wallet has everything back.':
    'Mtandao umerudisha pesa, na vyote vimerudi kwenye pochi.',
  'The payout was cancelled or refused before it was sent, and the wallet has everything back.':
    'Kutuma pesa kumeghairiwa au kukataliwa kabla ya kutumwa, na vyote vimerudi kwenye pochi.',
  'A webhook that was disabled is enabled again. Its own server receives it, too: resend what it missed.':
    'Webhook iliyozimwa imewashwa tena. Seva yake pia inalipokea tukio hili: tuma tena alichokosa.',
  'The payer has the refund, or you recorded that you returned the money (`method` is `outside`).':
    'Mlipaji amepata fedha zilizorudishwa, au umerekodi kuwa ulizirudisha mwenyewe (`method` ni `outside`).',
  'Nothing was refunded, and the wallet has everything back; `failure.code` says why.':
    'Hakuna kilichorudishwa kwa mlipaji, na vyote vimerudi kwenye pochi; `failure.code` inasema sababu.',
  'The batch has ended, also after a stop or without approval. Sent once, beside the events of its payouts.':
    'Kundi limeisha, hata kama lilisimamishwa au halikuidhinishwa. Hutumwa mara moja, pamoja na matukio ya kila utumaji.',
  'A reviewer has verified the business. Sent in test and in live.':
    'Mkaguzi ameithibitisha biashara. Linatumwa kwenye majaribio na kwenye halisi.',
  'A reviewer has rejected the business. Sent in test and in live.':
    'Mkaguzi ameikataa biashara. Linatumwa kwenye majaribio na kwenye halisi.',

  // The page about test numbers.
  'Test numbers': 'Namba za kujaribu',
  'With a test key no phone rings. The last three digits of the phone number decide the outcome; you can choose the other digits (`0754 000 789`). Any other number asks for a PIN on the simulated phone, which you answer [in the dashboard](/dashboard/me/test/try): every PIN pays except `0000`, which is wrong. If the service runs on your machine, its page `/local` shows that phone too.':
    'Kwa ufunguo wa majaribio hakuna simu inayoita. Tarakimu tatu za mwisho za namba ya simu ndizo zinazoamua matokeo; nyingine unachagua mwenyewe (`0754 000 789`). Namba nyingine yoyote inaomba namba ya siri (PIN) kwenye simu ya majaribio, ambayo unaijibu [kwenye dashibodi](/dashboard/me/test/try): kila PIN inalipa isipokuwa `0000`, ambayo si sahihi. Huduma ikiwa kwenye kompyuta yako, ukurasa wake `/local` unaonyesha simu hiyo pia.',
  'Outcomes of a payment': 'Matokeo ya malipo',
  Number: 'Namba',
  Scenario: 'Kinachotokea',
  voided: 'yanaghairiwa',
  'expires within a minute': 'muda unaisha ndani ya dakika moja',
  pays: 'yanalipwa',
  'limit exceeded': 'kikomo cha miamala kimefikiwa',
  'no wallet on this number': 'namba haina akaunti ya pesa kwa simu',
  'cancelled by the customer': 'mteja anakataa',
  'insufficient funds': 'salio halitoshi',
  'wrong PIN': 'namba ya siri (PIN) si sahihi',
  'unspecified failure': 'yanashindikana bila sababu kutajwa',
  'no PIN is entered in time': 'namba ya siri haiwekwi kwa wakati',
  'Faults during a payment': 'Hitilafu wakati wa malipo',
  'In this table "webhook" means the network\'s message to Malipo; your own program sees only its consequences. If the network sends no message, Malipo asks it: wait a minute.':
    'Kwenye jedwali hili “webhook” ni ujumbe wa mtandao kwa Malipo; programu yako inaona matokeo yake tu. Mtandao usipotuma ujumbe, Malipo inauuliza: subiri dakika moja.',
  'silence: pending until it expires': 'kimya: yanasubiri hadi muda uishe',
  'pays, webhook never sent': 'yanalipwa, webhook haitumwi kamwe',
  'pays, webhook before the create response': 'yanalipwa, webhook inafika kabla ya jibu la ombi',
  'pays, webhook three times with one id': 'yanalipwa, webhook inatumwa mara tatu kwa id moja',
  'fails, then pays': 'yanashindikana, kisha yanalipwa',
  'pays, then a stale failure arrives': 'yanalipwa, kisha taarifa ya zamani ya kushindikana inafika',
  'pays 100 shillings too little': 'yanalipwa pungufu kwa shilingi 100',
  'accepted but answered with 500, then pays': 'yanapokelewa lakini jibu ni 500, kisha yanalipwa',
  'the create hangs, is accepted, then pays': 'ombi linakwama, linapokelewa, kisha yanalipwa',
  'PAY_001 once, then accepted and pays': 'PAY_001 mara moja, kisha yanapokelewa na kulipwa',
  'PAY_001 always': 'PAY_001 kila mara',
  '429 always': '429 kila mara',
  'pays, webhook with a bad signature': 'yanalipwa, webhook ina sahihi mbaya',
  'pays, webhook with an old timestamp that no retry renews': 'yanalipwa, webhook ina saa ya zamani ambayo haihuishwi ikirudiwa',
  'expires, then pays': 'muda unaisha, kisha yanalipwa',
  'accepted but answered with half a document, then pays': 'yanapokelewa lakini jibu linakatika katikati, kisha yanalipwa',
  'INT_003 always': 'INT_003 kila mara',
  Payouts: 'Kutuma pesa',
  'A payout to any other number arrives.': 'Pesa zinazotumwa kwa namba nyingine yoyote zinafika.',
  'other error': 'kosa jingine',
  'silence: stays pending': 'kimya: inabaki ikisubiri',
  'arrives, webhook never sent': 'inafika, webhook haitumwi kamwe',
  'arrives, webhook three times with one id': 'inafika, webhook inatumwa mara tatu kwa id moja',
  'accepted but answered with 500, then arrives': 'inapokelewa lakini jibu ni 500, kisha inafika',
  'the create hangs, is accepted, then arrives': 'ombi linakwama, linapokelewa, kisha inafika',
  'PAY_001 once, then accepted and arrives': 'PAY_001 mara moja, kisha inapokelewa na kufika',
  'arrives, webhook with a bad signature': 'inafika, webhook ina sahihi mbaya',
  'arrives, webhook with an old timestamp that no retry renews': 'inafika, webhook ina saa ya zamani ambayo haihuishwi ikirudiwa',
  'accepted but answered with half a document, then arrives': 'inapokelewa lakini jibu linakatika katikati, kisha inafika',
  'completed, then reversed': 'inafika, kisha inarudishwa',
  'insufficient balance': 'salio halitoshi',
  'fails, then arrives after all': 'inashindikana, kisha inafika hata hivyo',
  'recipient not found': 'mpokeaji hapatikani',
  'From the command line': 'Kutoka kwenye terminali',
  '[`malipo simulate --outcome wrong_pin`](../../cli/README.md) creates a page, pays it with that outcome, and prints the result.':
    '[`malipo simulate --outcome wrong_pin`](../../../cli/README.md) inatengeneza ukurasa, inaulipa kwa matokeo hayo, na kuonyesha kilichotokea.',

  // The page about phone numbers.
  'Phone numbers': 'Namba za simu',
  'Payments, payment requests, payouts and the payment page accept the same formats of a phone number. Spaces, dashes, dots and parentheses do not count.':
    'Malipo, maombi ya malipo, kutuma pesa na ukurasa wa malipo vinakubali namba ya simu kwa maumbo yaleyale. Nafasi, vistari, nukta na mabano havihesabiwi.',
  'Accepted formats': 'Maumbo yanayokubaliwa',
  'You send': 'Unatuma',
  'A payment uses, or is refused with': 'Malipo yanatumia, au yanakataliwa kwa',
  'Networks by prefix': 'Mitandao kwa tarakimu za mwanzo',
  Network: 'Mtandao',
  'First digits': 'Tarakimu za mwanzo',
  'No mobile money here': 'Hakuna malipo kwa simu hapa',
  'The prefix is only a guess, because a customer keeps the number when changing the network. If you know the network, send it as `network`. The answer has the network that the provider names.':
    'Tarakimu za mwanzo ni makisio tu, kwa sababu mteja anabaki na namba yake akihama mtandao. Ukijua mtandao, utume kama `network`. Jibu lina mtandao unaotajwa na mtoa huduma.',

  // The guide about members.
  'Members and approvals': 'Watu wa biashara na idhini',
  'A business can have up to 200 people. Each signs in with their own account and has one role in the business, so no one shares a password, and the list of activities says who did what. A personal account has one person.':
    'Biashara inaweza kuwa na hadi watu 200. Kila mmoja anaingia kwa akaunti yake na ana jukumu moja kwenye biashara, kwa hiyo hakuna anayeshiriki nenosiri, na orodha ya shughuli inasema nani alifanya nini. Akaunti binafsi ina mtu mmoja.',
  Roles: 'Majukumu',
  Role: 'Jukumu',
  'For whom': 'Kwa nani',
  'The representative, and partners with the same rights. Everything.':
    'Mwakilishi wa biashara, na wabia wenye haki sawa. Kila kitu.',
  'Manages the business for the owners. Everything except making and removing owners.':
    'Anasimamia biashara kwa niaba ya wamiliki. Kila kitu isipokuwa kuweka na kuondoa wamiliki.',
  'Sees the money, requests payouts and approves those of others.':
    'Anaona pesa, anaomba kutuma pesa na anaidhinisha maombi ya wengine.',
  'Sees the money, exports it and requests payouts, but approves none.':
    'Anaona pesa, anapakua taarifa na anaomba kutuma pesa, lakini haidhinishi.',
  'Sees the payments of today and makes payment requests.': 'Anaona malipo ya leo na anatengeneza maombi ya malipo.',
  'Manages apps, keys and webhooks, and works with the test environment.':
    'Anasimamia programu, funguo na webhook, na anafanya kazi kwenye mazingira ya majaribio.',
  'The table decides for every route, and for keys by their scopes. A dot means yes, a dash no. "Test only" means only in the test environment, "today’s" means only what was made since midnight in Tanzania. A request that the role does not allow gets 403 `insufficient_role`; `details.required_roles` names those that do. A business that you are no member of looks as if it did not exist: 404.':
    'Jedwali hili linaamua kwa kila njia ya API, na kwa funguo kwa ruhusa zake. Nukta ni ndiyo, kistari ni hapana. “Majaribio tu” ni kwenye mazingira ya majaribio tu, “ya leo” ni yaliyofanyika tangu usiku wa manane saa za Tanzania. Ombi ambalo jukumu haliruhusu linapata 403 `insufficient_role`; `details.required_roles` inataja majukumu yanayoruhusu. Biashara ambayo humo ndani yake inaonekana kama haipo: 404.',
  May: 'Anaweza',
  Permission: 'Ruhusa',
  'Scope of a key': 'Ruhusa ya ufunguo',
  'see the name and the state of the account': 'kuona jina na hali ya akaunti',
  'see payments': 'kuona malipo',
  'today’s': 'ya leo',
  'test only': 'majaribio tu',
  'request a payment from a phone': 'kuomba malipo kutoka kwenye simu',
  'These fields show more than the rest of their object. Without a permission of the second column, or for a key without a scope of the third, they are null:':
    'Sehemu hizi zinaonyesha zaidi ya sehemu nyingine za kitu chake. Bila ruhusa ya safu ya pili, au kwa ufunguo usio na ruhusa ya safu ya tatu, ni null:',
  Field: 'Sehemu',
  'what a page has earned: `PaymentPage.paid_total`': 'kiasi ambacho ukurasa umepokea: `PaymentPage.paid_total`',
  'the balance in the history of a payment or payout: `timeline.balance_after`':
    'salio kwenye historia ya malipo au ya pesa zilizotumwa: `timeline.balance_after`',
  'the address of a webhook in the history of a payment: `timeline.url`':
    'anwani ya webhook kwenye historia ya malipo: `timeline.url`',
  'the balance in a refusal for too little money: `insufficient_balance.available`':
    'salio kwenye katazo la pesa zisizotosha: `insufficient_balance.available`',
  'the whole phone number of the customer of a payment request: `PaymentRequest.customer.phone_number`':
    'namba nzima ya simu ya mteja wa ombi la malipo: `PaymentRequest.customer.phone_number`',
  'see customers and their totals': 'kuona wateja na jumla walizolipa',
  'see the whole phone number of who paid': 'kuona namba nzima ya simu ya aliyelipa',
  'see pages': 'kuona kurasa za malipo',
  'make and change pages': 'kutengeneza na kubadilisha kurasa za malipo',
  'see payment requests': 'kuona maombi ya malipo',
  'make and cancel payment requests, and send them to a phone':
    'kutengeneza na kughairi maombi ya malipo, na kuyatuma kwenye simu',
  'see the balance': 'kuona salio',
  'see statements and summaries, search, export': 'kuona taarifa na muhtasari, kutafuta, kupakua',
  'see payouts, refunds, batches and recipients': 'kuona pesa zilizotumwa, zilizorudishwa, makundi na wapokeaji',
  'request payouts, refunds and batches': 'kuomba kutuma pesa, kurudisha pesa na makundi',
  'approve payouts, refunds and batches': 'kuidhinisha kutuma pesa, kurudisha pesa na makundi',
  'see and resend events': 'kuona na kutuma tena matukio',
  'manage apps, keys and webhooks': 'kusimamia programu, funguo na webhook',
  'make keys that can pay out': 'kutengeneza funguo zinazoweza kutuma pesa',
  'see the data of the business and its verification': 'kuona taarifa za biashara na uthibitishaji wake',
  'change the data of the business and submit documents': 'kubadilisha taarifa za biashara na kuwasilisha nyaraka',
  'see the members': 'kuona watu wa biashara',
  'invite, change and remove members': 'kualika, kubadilisha na kuondoa watu',
  'make and remove owners': 'kuweka na kuondoa wamiliki',
  'see the approval rule and what waits for approval': 'kuona kanuni ya idhini na kinachosubiri idhini',
  'change the approval rule': 'kubadilisha kanuni ya idhini',
  'see who did what': 'kuona nani alifanya nini',
  'In the [API description](/openapi.json) each operation of a signed-in person names its permission as `x-permission`. `GET /v1/memberships` lists your businesses, your role in each, and what it may do in test and in live.':
    'Kwenye [maelezo ya API](/openapi.json) kila shughuli ya mtu aliyeingia inataja ruhusa yake kama `x-permission`. `GET /v1/memberships` inaorodhesha biashara zako, jukumu lako kwenye kila moja, na linachoruhusu kwenye majaribio na kwenye pesa halisi.',
  'What an operation demands': 'Kila shughuli inahitaji nini',
  'Every operation that changes something has a class, which the API description names as `x-class`.':
    'Kila shughuli inayobadilisha kitu ina aina yake, ambayo maelezo ya API yanaitaja kama `x-class`.',
  Class: 'Aina',
  Demands: 'Inahitaji',
  Operations: 'Shughuli',
  'a session or key that is still valid when the whole request has arrived':
    'kikao au ufunguo ambao bado unafanya kazi ombi zima likishafika',
  'also a sign-in or step-up in the last 5 minutes': 'pia kuingia au kujithibitisha ndani ya dakika 5 zilizopita',
  'also a sign-in or step-up in the last 15 minutes, an entry in the list of activities, and a mail to the owners':
    'pia kuingia au kujithibitisha ndani ya dakika 15 zilizopita, kuandikwa kwenye orodha ya matukio, na barua pepe kwa wamiliki',
  'also a sign-in or step-up in the last 5 minutes, and an entry in the list of activities':
    'pia kuingia au kujithibitisha ndani ya dakika 5 zilizopita, na kuandikwa kwenye orodha ya matukio',
  'One step-up covers a set-up session of 15 minutes. In the test environment and in local mode, keys, webhooks, redirect hosts and statements by mail need none; members, rules and what both environments share always do. The owners get one mail about everything that happened within a quarter of an hour.':
    'Kujithibitisha mara moja kunatosha kwa kazi ya kuweka mipangilio ya dakika 15. Kwenye mazingira ya majaribio na kwenye kompyuta yako mwenyewe, funguo, webhook, tovuti za kurudisha walipaji na taarifa kwa barua pepe hazihitaji; watu, kanuni na vile ambavyo mazingira yote mawili yanatumia vinahitaji kila wakati. Wamiliki wanapata barua pepe moja kuhusu yote yaliyotokea ndani ya robo saa.',
  'Statements by mail': 'Taarifa kwa barua pepe',
  'A member who may see statements can get a summary of a wallet by mail: of each day, of each week (on Monday) or of each month (on the 1st). Set it up in the dashboard under **Statement**, or with `PUT /v1/merchant/statement-mail`; there, one click stops it. Each member decides for themselves, for each business and for test and live.':
    'Mtu anayeruhusiwa kuona taarifa za akaunti anaweza kupata muhtasari wa pochi kwa barua pepe: wa kila siku, wa kila wiki (Jumatatu) au wa kila mwezi (tarehe 1). Uiweke kwenye dashibodi chini ya **Taarifa ya akaunti**, au kwa `PUT /v1/merchant/statement-mail`; hapohapo, mbofyo mmoja unaisitisha. Kila mtu anaamua mwenyewe, kwa kila biashara, na kwa majaribio na pesa halisi.',
  'The mail is sent from 07:00 East Africa Time, once for each period, and contains the balances, the number and sum of each kind of movement, and a link to the statement. It contains nothing of your payers. If mails could not be sent for a while, you get the last period only, and the mail names the days before it; the statement has all of them. Whether your role allows it is checked when the mail is written: after a removal or a change to another role you get no more, and a new role does not bring it back.':
    'Barua pepe inatumwa kuanzia 07:00 za Afrika Mashariki, mara moja kwa kila kipindi, na ina salio, idadi na jumla ya kila aina ya mwendo wa fedha, na kiungo cha taarifa. Haina chochote cha walipaji wako. Kama barua pepe hazikuweza kutumwa kwa muda, unapata kipindi cha mwisho tu, na barua pepe inataja siku zilizotangulia; taarifa ina siku zote. Kama jukumu lako linaruhusu linakaguliwa barua pepe inapoandikwa: baada ya kuondolewa au kupewa jukumu jingine hupati tena, na jukumu jipya haliirudishi.',
  'Saved filters': 'Vichujio vilivyohifadhiwa',
  'The lists of payments and payouts in the dashboard have a menu of saved filters beside **Filters**: a status, a network, a page, amounts and days under a name. Each member has their own, for each list of each business, separately for test and live, at most 20 per list: 409 `too_many_filters`. No one else sees them. They need the permission of their list, and go with the membership. Over HTTP, a signed-in member uses `GET` and `PUT /v1/merchant/saved-filters/payments`, or `…/payouts`, and `DELETE …/{filter_id}`.':
    'Orodha za malipo na za pesa zilizotumwa kwenye dashibodi zina menyu ya vichujio vilivyohifadhiwa kando ya **Vichujio**: hali, mtandao, ukurasa, viasi na siku chini ya jina moja. Kila mwanachama ana vyake, kwa kila orodha ya kila biashara, vya majaribio na vya pesa halisi vikiwa mbali, visivyozidi 20 kwa orodha: 409 `too_many_filters`. Hakuna mwingine anayeviona. Vinahitaji ruhusa ya orodha yake, na vinaondoka pamoja na uanachama. Kwa HTTP, mwanachama aliyeingia hutumia `GET` na `PUT /v1/merchant/saved-filters/payments`, au `…/payouts`, na `DELETE …/{filter_id}`.',
  'A period such as `last_7_days` is saved by its name, so that it means other days tomorrow; days that you chose stay as they are. The text of a search is not saved, because it may name a payer.':
    'Kipindi kama `last_7_days` kinahifadhiwa kwa jina lake, hivyo kesho kinamaanisha siku nyingine; siku ulizochagua zinabaki zilivyo. Maneno ya utafutaji hayahifadhiwi, kwa sababu yanaweza kumtaja anayelipa.',
  Invitations: 'Mialiko',
  '`POST /v1/businesses/{business_id}/members` with `{email, role}` mails a link that works once, for 7 days, and only for the account with that e-mail address once the address is verified. The same address again gets a new link, and the old one stops working. `DELETE …/members/{member_id}` cancels an invitation. At most 50 are open at a time: 409 `too_many_members`.':
    '`POST /v1/businesses/{business_id}/members` yenye `{email, role}` inatuma kwa barua pepe kiungo kinachotumika mara moja, kwa siku 7, na kwa akaunti yenye barua pepe hiyo tu, ikishathibitishwa. Barua pepe ileile tena inapata kiungo kipya, na cha zamani hakifanyi kazi. `DELETE …/members/{member_id}` inafuta mwaliko. Mialiko iliyo wazi ni 50 tu kwa wakati mmoja: 409 `too_many_members`.',
  'A person without an account sends `invitation_token` from the link to `POST /v1/auth/register`, and need not be a student: `student_id` and `institution` may be left out. Then they verify the address and send the token to `POST /v1/invitations/accept`.':
    'Asiye na akaunti bado anatuma `invitation_token` kutoka kwenye kiungo kwa `POST /v1/auth/register`, na si lazima awe mwanafunzi: `student_id` na `institution` zinaweza kuachwa. Kisha anathibitisha barua pepe na kutuma tokeni hiyo kwa `POST /v1/invitations/accept`.',
  'Changes and removal': 'Kubadilisha na kuondoa',
  'New roles': 'Majukumu mapya',
  'In the live environment, a new role that may pay or approve does not move money, decide or make power in its first 24 hours: 409 `power_not_active_yet`, with `details.until`. This applies to a person who joins and to a promotion; `power_from` of the member says until when. The first owner never waits, and neither does reading, other work, the test environment, or what only ends a key, a webhook or an app. Another owner whose own wait is over can end it: `POST …/members/{member_id}/confirm`.':
    'Kwenye mazingira halisi, jukumu jipya linaloweza kulipa au kuidhinisha halihamishi pesa, haliamui wala halitoi mamlaka katika saa 24 za kwanza: 409 `power_not_active_yet`, pamoja na `details.until`. Inamhusu anayejiunga na anayepandishwa; `power_from` ya mwanachama inasema hadi lini. Mmiliki wa kwanza hasubiri kamwe; wala kusoma, kazi nyingine, mazingira ya majaribio, au kinachozima tu ufunguo, webhook au programu havisubiri. Mmiliki mwingine ambaye muda wake umeisha anaweza kuumaliza: `POST …/members/{member_id}/confirm`.',
  'While the live wallet has an approval rule, other people approve a new approver, admin or owner. `pending_role` of the member names the approval, `amr_…`, and an invitation can be accepted only after it. Neither the person who asked nor the person who gets the role can approve it. If no one else can, the owner who asked gets a mail with a page, and approves there with the `token` of its link. What no one approves within 72 hours ends, and so does what a removed person has asked for.':
    'Pochi halisi ikiwa na kanuni ya idhini, watu wengine wanamwidhinisha mwidhinishaji, msimamizi au mmiliki mpya. `pending_role` ya mwanachama inataja idhini hiyo, `amr_…`, na mwaliko unaweza kukubaliwa baada ya idhini tu. Aliyeomba na anayepata jukumu hawawezi kuiidhinisha. Kama hakuna mwingine anayeweza, mmiliki aliyeomba anapata barua pepe yenye ukurasa, na anaidhinisha hapo kwa `token` ya kiungo chake. Kisichoidhinishwa ndani ya saa 72 kinaisha, na pia alichoomba mtu aliyeondolewa.',
  '`PATCH …/members/{member_id}` changes a role, `DELETE` removes a person; with your own id you leave. Both act from the next request of that person on, and when the removal is answered, nothing that they had under way is carried out any more. Keys that they made keep working, because your programs depend on them: [roll](/reference) those that they know. What such a key requests above an approval rule is refused with 403. When the person who granted a scope of a live key leaves or loses the right, the owners are asked to keep the key with `POST /developers/keys/{id}/grant`, or to revoke it: `unkept_since` says since when. Nothing stops without an answer, except that `payouts:write` waits for a grant again after 72 hours. The person’s open invitations end, also those that a demoted person may no longer make, and the answer of a removal lists in `left_behind` what else the person has made. The owners get a mail about every change.':
    '`PATCH …/members/{member_id}` inabadilisha jukumu, `DELETE` inamwondoa mtu; kwa id yako mwenyewe unaondoka. Zote zinaanza kwenye ombi linalofuata la mtu huyo, na kuondolewa kukishajibiwa, hakuna alichokuwa amekianza kinachotekelezwa tena. Funguo alizotengeneza zinaendelea kufanya kazi, kwa sababu programu zako zinazitegemea: [badilisha](/reference) anazozijua. Kinachoombwa kwa ufunguo kama huo kinachozidi kanuni ya idhini kinakataliwa kwa 403. Aliyetoa ruhusa ya ufunguo wa mazingira halisi akiondoka au akipoteza haki hiyo, wamiliki wanaulizwa waendelee na ufunguo kwa `POST /developers/keys/{id}/grant`, au waufute: `unkept_since` inasema tangu lini. Bila jibu hakuna kinachosimama, isipokuwa `payouts:write` inasubiri ruhusa tena baada ya saa 72. Mialiko ya mtu huyo isiyopokelewa inaisha, pia ile ambayo jukumu jipya haliruhusu, na jibu la kuondolewa linaorodhesha kwenye `left_behind` vingine alivyotengeneza. Wamiliki wanapata barua pepe kuhusu kila badiliko.',
  Owners: 'Wamiliki',
  'Only an owner makes, changes or removes owners, with a recent sign-in or step-up (401 `step_up_required`). A new owner needs a verified identity: 403 `kyc_required`. The last owner stays: 409 `invalid_state`. To hand a business over, make the other person an owner first, then change your own role or leave. If you were its representative, the owner who has been one for longest becomes the representative.':
    'Mmiliki pekee ndiye anayeweka, anayebadilisha au anayeondoa wamiliki, akiwa ameingia au amejithibitisha muda mfupi uliopita (401 `step_up_required`). Mmiliki mpya anahitaji utambulisho uliothibitishwa: 403 `kyc_required`. Mmiliki wa mwisho anabaki: 409 `invalid_state`. Ili kukabidhi biashara, mweke kwanza mtu mwingine kuwa mmiliki, kisha badilisha jukumu lako au ondoka. Kama ulikuwa mwakilishi wake, mmiliki wa muda mrefu zaidi anakuwa mwakilishi.',
  'The approval rule': 'Kanuni ya idhini',
  'Each wallet can have a rule: `POST /v1/merchant/approval-rule` with `{"above": 100000, "above_total": 500000, "approvers": 1}`, the `business_id` and the `environment`. What is above the rule then waits with `approval: "required"` and `approval_by: "members"` until one or two other people have approved it. The money of payouts and refunds is set aside meanwhile. Test and live have separate rules.':
    'Kila pochi inaweza kuwa na kanuni: `POST /v1/merchant/approval-rule` yenye `{"above": 100000, "above_total": 500000, "approvers": 1}`, `business_id` na `environment`. Kinachozidi kanuni kinasubiri kwa `approval: "required"` na `approval_by: "members"` hadi mtu mmoja au wawili wengine wakiidhinishe. Pesa za kutuma na za kurudisha zinatengwa wakati huo. Majaribio na pesa halisi zina kanuni tofauti.',
  'Sums count, without fees, so that many small payouts do not pass where a large one waits. Each entry of the queue says in `exceeds` which sum it is:':
    'Jumla zinahesabiwa, bila makato, ili malipo mengi madogo yasipite pale ambapo kubwa linasubiri. Kila kilicho kwenye foleni kinasema kwenye `exceeds` ni jumla ipi:',
  'What is above the limit': 'Kinachozidi kikomo',
  'this payout, refund or batch alone is above `above`': 'kutuma, kurudisha au kundi hili peke yake linazidi `above`',
  'with it, one recipient gets more than `above` in the day': 'pamoja nacho, mpokeaji mmoja anapata zaidi ya `above` kwa siku',
  'with it, more than `above_total` leaves the wallet in the day':
    'pamoja nacho, zaidi ya `above_total` inatoka kwenye pochi kwa siku',
  'A day is one of East Africa Time, and a payout, a refund or a row of a batch counts on the day of its request. It counts when it has left or may still leave, also while it waits or after others have approved it. It does not count any more when it was cancelled, has failed or came back. While a batch waits, its rows count on the day on which it was sent for approval; then on the day on which it is approved. When it is approved, it is judged again by all that counts that day, except other batches that wait: if the rule now needs two approvals, it waits for the second. Without `above_total` in the request it is 5 × `above`; null: the day has no limit. A rule that was set before this limit existed has none and shows `asks_total: true` until an owner or admin sets the rule again.':
    'Siku ni ya saa za Afrika Mashariki, na kutuma, kurudisha au mstari wa kundi unahesabiwa siku ulipoombwa. Unahesabiwa ukiwa umetoka au unaweza bado kutoka, hata ukiwa unasubiri au wengine wakiwa wameuidhinisha. Hauhesabiwi tena ukighairiwa, ukishindikana au pesa zikirudi. Kundi likiwa linasubiri, mistari yake inahesabiwa siku lilipoombewa idhini; kisha siku linapoidhinishwa. Likiidhinishwa, linapimwa tena kwa yote yanayohesabiwa siku hiyo, isipokuwa makundi mengine yanayosubiri: kanuni ikitaka sasa idhini mbili, linasubiri ya pili. Bila `above_total` kwenye ombi ni 5 × `above`; null: siku haina kikomo. Kanuni iliyowekwa kabla ya kikomo hiki haina, na inaonyesha `asks_total: true` hadi mmiliki au msimamizi aiweke tena.',
  'A requester never approves their own request: 403 `self_approval_forbidden`. So a rule for one approver needs two people who may approve, and one for two approvers needs three. A rule, a removal or a new role that would leave too few is refused with 409 `approvers_missing`.':
    'Aliyeomba kitu hakiidhinishi kamwe: 403 `self_approval_forbidden`. Kwa hiyo kanuni ya mwidhinishaji mmoja inahitaji watu wawili wanaoweza kuidhinisha, na ya wawili inahitaji watatu. Kanuni, kuondolewa kwa mtu au jukumu jipya ambalo lingebakiza wachache mno inakataliwa kwa 409 `approvers_missing`.',
  'A stricter rule applies at once, also to what waits. A looser one, with a higher limit, fewer approvers or no rule at all, becomes `pending_change` and waits until others have approved it under the old rule. A person whose own payouts must [wait](payouts.md#waiting-periods) cannot ask for one: 409 `payout_must_wait`. A stricter rule ends a `pending_change`.':
    'Kanuni kali zaidi inaanza mara moja, hata kwa kinachosubiri. Iliyolegea zaidi, yenye kiasi kikubwa zaidi, waidhinishaji wachache zaidi au kufuta kanuni kabisa, inakuwa `pending_change` na inasubiri wengine waiidhinishe chini ya kanuni ya zamani. Mtu ambaye kutuma kwake pesa kunapaswa [kusubiri](payouts.md#waiting-periods) hawezi kuiomba: 409 `payout_must_wait`. Kanuni kali zaidi inafuta `pending_change`.',
  'Approve and refuse': 'Kuidhinisha na kukataa',
  '`GET /v1/merchant/approvals` lists what waits: the amount, the recipient, who asked, since when, and until when it can be approved. With `may_decide=true` it lists only what you may decide on. `POST /v1/merchant/approvals/{id}/approve` and `…/refuse` with a `reason` need a recent sign-in or step-up, and the `version` that you have read. The id is that of the payout, the refund, the batch or the change of the rule.':
    '`GET /v1/merchant/approvals` inaorodhesha kinachosubiri: kiasi, mpokeaji, nani aliomba, tangu lini, na hadi lini kinaweza kuidhinishwa. Kwa `may_decide=true` inaorodhesha kile tu unachoweza kukiamulia. `POST /v1/merchant/approvals/{id}/approve` na `…/refuse` yenye `reason` zinahitaji kuingia au kujithibitisha muda mfupi uliopita, na `version` uliyoisoma. Id ni ya utumaji, ya kurudisha pesa, ya kundi au ya badiliko la kanuni.',
  'If it has another version by now, nothing is decided: 409 `approval_changed`. `details.changes` lists what was and what is (`row`, `field`, `was`, `is`), at most for 50 rows, and `details.more_rows` counts the others. `details.version` is the version to decide about next. A batch that was stopped and sent again is another approval, also when no row changed.':
    'Ikiwa sasa ina toleo jingine, hakuna kinachoamuliwa: 409 `approval_changed`. `details.changes` inaorodhesha kilichokuwa na kilichopo (`row`, `field`, `was`, `is`), kwa mistari 50 tu, na `details.more_rows` inahesabu mingine. `details.version` ni toleo la kuamulia baadaye. Kundi lililosimamishwa na kutumwa tena ni idhini nyingine, hata kama hakuna mstari uliobadilika.',
  'What is refused, or not approved within 72 hours, ends: payouts become `cancelled`, refunds `failed` and batches `stopped`, with `failure.code` `approval_refused` or `approval_expired`. Money that was set aside returns to the wallet, once. If the person who asked is removed meanwhile, it is refused, and approvals of people who were removed do not count.':
    'Kilichokataliwa, au kisichoidhinishwa ndani ya saa 72, kinaisha: kutuma pesa kunakuwa `cancelled`, kurudisha pesa `failed` na makundi `stopped`, kwa `failure.code` `approval_refused` au `approval_expired`. Pesa zilizotengwa zinarudi kwenye pochi, mara moja. Aliyeomba akiondolewa wakati huo, ombi linakataliwa, na idhini za watu walioondolewa hazihesabiwi.',
  'If the service has its own limit, one of our operators decides after the members: `approval_by` is then `operators`.':
    'Kama huduma ina kiwango chake, mmoja wa wasimamizi wetu anaamua baada ya watu wa biashara: wakati huo `approval_by` ni `operators`.',
  'Requests by key': 'Maombi kwa ufunguo',
  'A key acts for the business, not for a person. What it requests above the rule waits in the same queue, and counts as requested by the person who made the key: this person cannot approve it. So let a person make the keys who is not needed as an approver. A key cannot approve.':
    'Ufunguo unafanya kazi kwa niaba ya biashara, si ya mtu. Kinachoombwa nao kinachozidi kanuni kinasubiri kwenye foleni ileile, na kinahesabiwa kuwa kimeombwa na mtu aliyetengeneza ufunguo: mtu huyo hawezi kukiidhinisha. Funguo zitengenezwe na mtu ambaye huhitaji idhini yake. Hakuna anayeidhinisha kwa ufunguo.',
  Activity: 'Shughuli',
  '`GET /v1/businesses/{business_id}/activity` shows owners and admins what members and our operators did, and when. Both people of an approval are in it, and no one can change or remove an entry. Requests by key are in the log of requests: `GET /v1/merchant/requests`.':
    '`GET /v1/businesses/{business_id}/activity` inawaonyesha wamiliki na wasimamizi wa biashara kile ambacho watu wa biashara na wasimamizi wetu walifanya, na lini. Watu wote wawili wa idhini wamo, na hakuna anayeweza kubadilisha au kuondoa kumbukumbu. Maombi kwa ufunguo yako kwenye kumbukumbu ya maombi: `GET /v1/merchant/requests`.',
  // Limits.
  Limits: 'Vikomo',
  'A limit counts calls in a window of time that begins with the first call. Answers of a limited operation have the headers `RateLimit-Policy` and `RateLimit`, with the limits and what remains of them, except for limits that count mistakes or that others use, too. Wait for the seconds in `Retry-After`: an earlier try is refused again, and no limit closes an account or a page.':
    'Kikomo kinahesabu maombi ndani ya muda unaoanza na ombi la kwanza. Majibu ya operesheni yenye kikomo yana vichwa `RateLimit-Policy` na `RateLimit`, vyenye vikomo na kilichobaki, isipokuwa vikomo vinavyohesabu makosa au vinavyotumiwa na wengine pia. Subiri sekunde za `Retry-After`: ukijaribu mapema unakataliwa tena, na hakuna kikomo kinachofunga akaunti au ukurasa.',
  'Limits of calls': 'Vikomo vya maombi',
  'An operation by key is counted together with the same operation of a signed-in person. Your server may call from one address for all of your customers: payers behind one carrier share addresses, too, so what is counted by address alone is generous, or counts only what does not exist.':
    'Operesheni kwa ufunguo inahesabiwa pamoja na ileile ya mtu aliyeingia. Seva yako inaweza kutuma maombi ya wateja wako wote kutoka anwani moja: walipaji wa mtandao mmoja wa simu pia wanatumia anwani moja, kwa hiyo kinachohesabiwa kwa anwani peke yake kina nafasi kubwa, au kinahesabu tu kisichokuwepo.',
  Limit: 'Kikomo',
  'Counted for': 'Kinahesabiwa kwa',
  'At most': 'Kiwango cha juu',
  'Above it': 'Kikizidi',
  'Each process of the service counts these by itself:': 'Kila mchakato wa huduma unahesabu hivi peke yake:',
  'a person': 'mtu mmoja',
  'a wallet: a business or a personal account, in test and in live':
    'pochi: biashara au akaunti binafsi, kwenye majaribio na kwenye hali halisi',
  'a business or a personal account': 'biashara au akaunti binafsi',
  'an app': 'programu',
  'an API key': 'ufunguo wa API',
  'an account, from networks that it does not know': 'akaunti, kutoka mitandao ambayo haiijui',
  'an account, from one network address': 'akaunti, kutoka anwani moja ya mtandao',
  'an e-mail address or a phone number, from one network address': 'barua pepe au namba ya simu, kutoka anwani moja ya mtandao',
  'a network address': 'anwani ya mtandao',
  'a network address, mistakes only': 'anwani ya mtandao, makosa tu',
  'all callers together': 'wote kwa pamoja',
  'a payment': 'malipo',
  'the payer’s phone, over all pages': 'simu ya mlipaji, kwenye kurasa zote',
  'the e-mail address that gets the mail, over all senders': 'barua pepe inayopokea ujumbe, kwa watumaji wote',
  '429 `rate_limited` with `Retry-After`': '429 `rate_limited` pamoja na `Retry-After`',
  '429 `phone_busy` with `Retry-After`': '429 `phone_busy` pamoja na `Retry-After`',
  'the slower limit in the next row': 'kikomo cha polepole cha mstari unaofuata',
  'every page waits, up to 2 seconds; 429 when a hundred requests wait':
    'kila ukurasa unasubiri, hadi sekunde 2; 429 maombi mia yakiwa yanasubiri',
  'the e-mail address that gets the mail, from one verified business':
    'barua pepe inayopokea ujumbe, kutoka kwa biashara moja iliyothibitishwa',
  'A request that is repeated with its [idempotency key](concepts/idempotency.md) and gets the first answer again is not counted by the limits on new objects. Save many recipients from a batch, with `savePayoutBatchRecipients`.':
    'Ombi linalorudiwa na [ufunguo wake wa kutorudia](concepts/idempotency.md) na kupata jibu la kwanza halihesabiwi na vikomo vya vitu vipya. Hifadhi wapokeaji wengi kutoka kwenye kundi, kwa `savePayoutBatchRecipients`.',
  'Objects at the same time': 'Vitu kwa wakati mmoja',
  Objects: 'Vitu',
  'businesses that wait for verification, of a person who is not verified':
    'biashara zinazosubiri kuthibitishwa, za mtu ambaye hajathibitishwa',
  'businesses that wait for verification, of a verified person': 'biashara zinazosubiri kuthibitishwa, za mtu aliyethibitishwa',
  'apps of a business or a personal account': 'programu za biashara au akaunti binafsi',
  'API keys of a business or a personal account that are valid': 'funguo za API zinazofanya kazi za biashara au akaunti binafsi',
  'sessions of a person': 'vipindi vya mtu mmoja',
  'open streams of a person, in each process': 'mikondo iliyo wazi ya mtu mmoja, kwenye kila mchakato',
  'open streams of a session': 'mikondo iliyo wazi ya kipindi kimoja',
  'the oldest one ends': 'cha zamani zaidi kinaisha',
  'Remove an object that you do not need any more, or complete your verification, and you can create another one. The windows of one browser share a stream.':
    'Ondoa kitu ambacho hukihitaji tena, au kamilisha uthibitisho wako, nawe unaweza kuunda kingine. Madirisha ya kivinjari kimoja yanatumia mkondo mmoja kwa pamoja.',
  'Reports of payers': 'Ripoti za walipaji',
  'Reports from the browser that started the payment, and those with the number of the network’s message, are counted apart from others: strangers use up nothing of a payer’s. Operators see reports without this proof as one row with a count.':
    'Ripoti kutoka kwenye kivinjari kilichoanzisha malipo, na zenye namba ya ujumbe wa mtandao, zinahesabiwa peke yake: watu wengine hawapunguzi kikomo cha mlipaji. Waendeshaji wanaona ripoti zisizo na uthibitisho huu kama mstari mmoja wenye idadi.',
  'If you run the service yourself, change a limit with `RATE_LIMIT_QUOTAS`, by its name in the first column.':
    'Ukiendesha huduma mwenyewe, badilisha kikomo kwa `RATE_LIMIT_QUOTAS`, kwa jina lake la safu ya kwanza.',
}
