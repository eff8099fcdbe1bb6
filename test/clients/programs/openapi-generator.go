// The calls of an integrator with openapi-generator for Go.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"os"

	"client/api"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	order := os.Getenv("ORDER")
	settings := api.NewConfiguration()
	settings.Servers = api.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	keys := map[string]api.APIKey{"apiKey": {Key: os.Getenv("API_KEY")}}
	ctx := context.WithValue(context.Background(), api.ContextAPIKeys, keys)
	payments := api.NewAPIClient(settings).PaymentsAPI
	create := func(amount int64) (*api.CreatedPaymentAnswer, error) {
		body := *api.NewCreatePaymentBody(amount, "+255754123789", "Order 1001")
		body.SetMerchantReference(order)
		body.SetMetadata(map[string]string{"cart": order})
		answer, _, err := payments.CreatePayment(ctx).IdempotencyKey(order).CreatePaymentBody(body).Execute()
		return answer, err
	}
	answer, err := create(5000)
	check(err)
	created := answer.Data.Reference
	read, _, err := payments.GetPayment(ctx, created).Execute()
	check(err)
	found, _, err := payments.ListPayments(ctx).MerchantReference(order).Limit(5).Execute()
	check(err)
	listed := []string{}
	for _, payment := range found.Data {
		listed = append(listed, payment.Reference)
	}
	_, err = create(6000)
	var refusal *api.GenericOpenAPIError
	if !errors.As(err, &refusal) {
		log.Fatal("not refused: ", err)
	}
	refused := refusal.Model().(api.ErrorAnswer).Error.Code
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"created": created, "read": read.Data.Reference, "listed": listed, "refused": refused,
	}))
}
