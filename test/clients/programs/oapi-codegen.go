// The calls of an integrator with oapi-codegen.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"client/api"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	ctx, order, limit := context.Background(), os.Getenv("ORDER"), 5
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-API-Key", os.Getenv("API_KEY"))
		return nil
	}
	client, err := api.NewClientWithResponses(os.Getenv("BASE_URL"), api.WithRequestEditorFn(withKey))
	check(err)
	create := func(amount int64) *api.CreatePaymentResponse {
		body := api.CreatePaymentBody{
			Amount:            amount,
			PhoneNumber:       "+255754123789",
			Description:       "Order 1001",
			MerchantReference: &order,
			Metadata:          &api.Metadata{"cart": order},
		}
		answer, err := client.CreatePaymentWithResponse(ctx, &api.CreatePaymentParams{IdempotencyKey: order}, body)
		check(err)
		return answer
	}
	created := create(5000).JSON201.Data.Reference
	read, err := client.GetPaymentWithResponse(ctx, created)
	check(err)
	found, err := client.ListPaymentsWithResponse(ctx, &api.ListPaymentsParams{MerchantReference: &order, Limit: &limit})
	check(err)
	listed := []string{}
	for _, payment := range found.JSON200.Data {
		listed = append(listed, payment.Reference)
	}
	refused := create(6000).JSON422.Error.Code
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"created": created, "read": read.JSON200.Data.Reference, "listed": listed, "refused": refused,
	}))
}
